"""Every way a model behind Codex or OpenRouter was seen to cite its sources, as named styles.

A style is a pure function from the passages a search found to a `CitedAnswer`. What it imitates is
said in its docstring, whose first line `groundwire emulator --list-scenarios` shows. Which style an
answer gets is decided in `answers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from groundwire.emulator.composing import Passage
from groundwire.emulator.openai.phrasing import (
    Annotation,
    CitedAnswer,
    Draft,
    OutputMessage,
    Unit,
    claim,
    domain,
    listed_result,
    tracked,
)

Style = Callable[[str, Sequence[Passage]], CitedAnswer]

MARKER_OPEN, MARKER_NEXT, MARKER_CLOSE = "\ue200", "\ue202", "\ue201"
"""Private-use characters around ChatGPT's internal citation ids, e.g. cite turn0search0."""


def native(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """A link with the domain in parentheses after each claim; the annotation spans the parentheses."""
    return _answer(_native_draft(passages), passages)


def native_titles(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """A link named by the page's title after each claim; the annotation spans the link."""
    draft = Draft()
    for index, passage in enumerate(passages):
        draft.write(_gap(index) + claim(passage) + " ")
        draft.cite(_link(passage.title, passage.url), tracked(passage.url), passage.title)
    return _answer(draft, passages)


def descriptive_links(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """The link is part of the sentence: according to [title](url), ..."""
    draft = Draft()
    for index, passage in enumerate(passages):
        draft.write(_gap(index) + "According to ")
        draft.cite(_link(passage.title, passage.url), tracked(passage.url), passage.title)
        draft.write(f": {claim(passage)}")
    return _answer(draft, passages)


def grouped(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """All claims first, then one pair of parentheses with every link in it."""
    draft = Draft(" ".join(claim(passage) for passage in passages) + " (")
    for index, passage in enumerate(passages):
        draft.write(", " if index else "")
        draft.cite(_link(domain(passage.url), passage.url), tracked(passage.url), passage.title)
    draft.write(")")
    return _answer(draft, passages)


def links_only(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Links in the text and an empty `annotations`, as the Codex backend does at times."""
    return _answer(Draft(_native_draft(passages).text), passages)


def markers(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Raw private-use markers, annotated by span, split over deltas; the last one names no source."""
    draft = Draft()
    for index, passage in enumerate(passages):
        draft.write(_gap(index) + claim(passage) + " ")
        draft.cite(_marker(f"turn0search{index}"), passage.url, passage.title)
    draft.write(" " + _marker("turn9search9"))
    return replace(_answer(draft, passages), delta_size=2)


def source_ids(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Raw private-use markers that only the annotations' `source_id` resolves; one marker cites two."""
    draft = Draft()
    for index, passage in enumerate(passages):
        draft.write(f"{_gap(index)}{claim(passage)} {_marker(f'turn0search{index}')}")
        draft.annotations.append(
            Annotation(passage.url, passage.title, source_id=f"turn0search{index}"),
        )
    if len(passages) > 1:
        draft.write(" Both agree. " + _marker("turn0search0", "turn0search1"))
    return replace(_answer(draft, passages), delta_size=5)


def emoji_code_points(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Emoji stand before the spans; indices count code points."""
    return _after_emoji(passages, Unit.CODE_POINTS)


def emoji_utf16(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Emoji stand before the spans; indices count UTF-16 code units."""
    return _after_emoji(passages, Unit.UTF16)


def emoji_utf8(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Emoji stand before the spans; indices count UTF-8 bytes."""
    return _after_emoji(passages, Unit.UTF8)


def prose_spans(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """No marker in the text: each annotation spans the claim itself."""
    draft = Draft()
    for index, passage in enumerate(passages):
        draft.write(_gap(index))
        draft.cite(claim(passage), passage.url, passage.title)
    return _answer(draft, passages)


def bad_spans(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Annotations with reversed and out-of-range indices, and no link in the text."""
    text = "\n\n".join(claim(passage) for passage in passages)
    annotations = [
        Annotation(passage.url, passage.title, *((9, 3) if index % 2 == 0 else (len(text) + 40,) * 2))
        for index, passage in enumerate(passages)
    ]
    return _answer(Draft(text, annotations), passages)


def no_search(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """The model answers from memory: no `web_search_call`, no annotation, no link."""
    text = f'From what I remember, and without having looked, here is what I know about "{query}".'
    return CitedAnswer((OutputMessage(text),), searched=False)


def phases(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Two messages: a commentary that is not the answer, then the final answer."""
    commentary = OutputMessage("I will search the web and then sum up what I find.", phase="commentary")
    answer = native(query, passages)
    return replace(answer, messages=(commentary, replace(answer.messages[0], phase="final_answer")))


def two_messages(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """One message per page, without phases; indices start anew in each message."""
    messages = [native(query, [passage]).messages[0] for passage in passages]
    spaced = [replace(message, text=message.text + "\n\n") for message in messages]
    return CitedAnswer(tuple(spaced), _urls(passages))


def api_sources(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """`action.sources` also lists a data feed: `type` is `api`, it has a name and no URL."""
    return replace(native(query, passages), api_source="oai-weather")


def duplicates(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """The same page cited under several spellings of its URL."""
    draft = _native_draft(passages)
    for passage in passages[:1]:
        base = passage.url.rstrip("/")
        for index, url in enumerate(
            (f"{base}/", f"{base}#:~:text=once%20more", f"{base}?utm_source=chatgpt.com")
        ):
            draft.write(f" Said again ({index + 2}) ")
            draft.cite(f"([{domain(url)}]({url}))", url, passage.title if index else None)
    return _answer(draft, passages)


def parentheses(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Every cited URL contains parentheses, as encyclopedia addresses do."""
    draft = Draft()
    for index, passage in enumerate(passages):
        url = tracked(f"{passage.url.rstrip('/')}_(overview)")
        draft.write(_gap(index) + claim(passage) + " ")
        draft.cite(f"([{domain(url)}]({url}))", url, passage.title)
    return _answer(draft, passages)


def cjk_brackets(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """`【】` both as ordinary Chinese punctuation, which must stay, and as a citation mark."""
    draft = Draft("【重要】以下内容来自网络。")
    for index, passage in enumerate(passages):
        draft.write(f"\n\n{claim(passage)}")
        draft.cite(f"【{index}†source】", passage.url, passage.title)
    draft.write("\n\n【完】【99†source】")
    return _answer(draft, passages)


def code_fences(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Links inside a code fence and inside inline code are no citations; one after them is."""
    draft = Draft("```markdown\n[not a source](https://example.com/in-a-fence)\n```\n\n")
    draft.write("Write `[text](https://example.com/in-code)` for a link.\n\n")
    body = _native_draft(passages)
    shift = len(draft.text)
    draft.write(body.text)
    moved = [replace(one, start=one.start + shift, end=one.end + shift) for one in body.annotations]
    draft.annotations.extend(moved)
    return _answer(draft, passages)


def exa(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """OpenRouter with Exa: links named by domain, an annotation 0/0 for every result, cited or not."""
    draft = Draft()
    for index, passage in enumerate(_cited_part(passages)):
        draft.write(f"{_gap(index)}{claim(passage)} [{domain(passage.url)}]({passage.url})")
    return _with_results(draft, passages)


def exa_brackets(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """OpenRouter with Exa and an open model: the domain in `【】` instead of a link."""
    draft = Draft()
    for index, passage in enumerate(_cited_part(passages)):
        draft.write(f"{_gap(index)}{claim(passage)}【{domain(passage.url)}】")
    return _with_results(draft, passages)


def untitled(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """As `exa`, and no annotation has a title."""
    answer = exa(query, passages)
    (message,) = answer.messages
    bare = tuple(replace(annotation, title=None) for annotation in message.annotations)
    return replace(answer, messages=(replace(message, annotations=bare),))


def numbered(query: str, passages: Sequence[Passage]) -> CitedAnswer:
    """The model numbers its claims itself and ends with its own Sources list; [7] is invented."""
    draft = Draft()
    for index, passage in enumerate(passages):
        draft.write(f"{_gap(index)}{claim(passage)} [{index + 1}]")
    draft.write(" [7]\n\nSources:\n")
    draft.write("\n".join(f"[{index + 1}] {p.title} ({p.url})" for index, p in enumerate(passages)))
    return _with_results(draft, passages)


STYLES: Final[dict[str, Style]] = {
    style.__name__.replace("_", "-"): style
    for style in (
        native,
        native_titles,
        descriptive_links,
        grouped,
        links_only,
        markers,
        source_ids,
        emoji_code_points,
        emoji_utf16,
        emoji_utf8,
        prose_spans,
        bad_spans,
        no_search,
        phases,
        two_messages,
        api_sources,
        duplicates,
        parentheses,
        cjk_brackets,
        code_fences,
        exa,
        exa_brackets,
        untitled,
        numbered,
    )
}


def _native_draft(passages: Sequence[Passage], unit: Unit = Unit.CODE_POINTS, opening: str = "") -> Draft:
    draft = Draft(opening)
    for index, passage in enumerate(passages):
        url = tracked(passage.url)
        draft.write(_gap(index) + claim(passage) + " ")
        draft.cite(f"([{domain(url)}]({url}))", url, passage.title, unit)
    return draft


def _after_emoji(passages: Sequence[Passage], unit: Unit) -> CitedAnswer:
    # A family joined by U+200D, a flag of two code points and a combining accent: the three units differ.
    opening = "👩‍👩‍👧 🇵🇱 🌦️ Cafe\u0301: "
    return _answer(_native_draft(passages, unit, opening), passages)


def _with_results(draft: Draft, passages: Sequence[Passage]) -> CitedAnswer:
    draft.annotations.extend(map(listed_result, passages))
    return _answer(draft, passages)


def _cited_part(passages: Sequence[Passage]) -> Sequence[Passage]:
    """All but the last result, so that one is listed and not cited; a single result is cited."""
    return passages[:-1] or passages


def _answer(draft: Draft, passages: Sequence[Passage]) -> CitedAnswer:
    return CitedAnswer((draft.message(),), _urls(passages))


def _urls(passages: Sequence[Passage]) -> tuple[str, ...]:
    return tuple(passage.url for passage in passages)


def _gap(index: int) -> str:
    return "\n\n" if index else ""


def _link(name: str, url: str) -> str:
    return f"[{name.replace('[', '(').replace(']', ')')}]({tracked(url)})"


def _marker(*ids: str) -> str:
    return f"{MARKER_OPEN}cite{''.join(MARKER_NEXT + one for one in ids)}{MARKER_CLOSE}"
