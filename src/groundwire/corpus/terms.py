"""Text to search terms, the same way for documents and queries.

SQLite's own tokenizer splits words at spaces and punctuation, and its Porter stemmer joins English word
forms. Two kinds of text need our help before SQLite sees them:

* Scripts written without spaces (Han, kana, Thai, Lao, Burmese, Khmer) and Hangul, whose particles cling
  to words, become overlapping pairs of characters: 天气预报 is stored as 天气 气预 预报 报. A word of two or
  more characters is then a few exact terms. The lone last character lets any single character be found
  as the beginning of a term.
* Emoji, which the tokenizer takes for punctuation, become words of letters and digits.

Accents, case, width and invisible characters are folded away, so é finds e and e + U+0301 alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from groundwire.corpus.stopwords import QUESTION_PHRASES, STOP_WORDS

TOKENIZER = "porter unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
"""FTS5 tokenizer options. Marks belong to words: without them Hindi falls apart into consonants."""

MAX_QUERY_CHARACTERS = 4000
MAX_QUERY_TERMS = 32

STEM_LETTERS = 3
"""So many letters of a word are never taken for an ending."""

_CLOSE_PACKED = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)
_SOUTH_EAST_ASIAN = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eff\u1000-\u109f\u1780-\u17dd"
_SOUTH_EAST_ASIAN_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3\u17dd"
)
_FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"
_EMOJI = "\u203c\u2049\u2139\u2190-\u21ff\u231a-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"

_UNSPACED = re.compile(
    f"(?P<packed>[{_CLOSE_PACKED}]+)|(?P<clustered>[{_SOUTH_EAST_ASIAN}]+)"
    f"|(?P<emoji>[{_FLAG_LETTERS}]{{2}}|[{_EMOJI}])"
)
_CLUSTER = re.compile(f".[{_SOUTH_EAST_ASIAN_MARKS}]*", re.DOTALL)

# Accents; Hebrew points and Arabic vowel signs; soft hyphen, joiners, variation selectors, skin tones; halves
# of characters, which SQLite could not store.
_IGNORED = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\ud800-\udfff]"
)
_UNDECOMPOSED = re.compile("[æœøłđħıþð]")
_PLAIN_LETTERS = {
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ħ": "h",
    "ı": "i",
    "þ": "th",
    "ð": "d",
}

_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = re.compile(
    # Anything but space, punctuation and symbols of the common blocks. Not \w: it leaves out marks.
    r"[^\s\x00-/:-@\[-`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u060c\u061b\u061f\u06d4\u0964\u0965"
    r"\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u3030\u30fb\ufffd]+"
)


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: a word, a pair of characters of an unspaced script, or one such character."""

    text: str
    is_unspaced: bool = False
    is_beginning: bool = False
    """A lone character, stored as the beginning of its pair."""

    @property
    def match_expression(self) -> str:
        """The term in FTS5's query language; quoted, so that no character of it is an operator."""
        return f'"{self.text}"*' if self.is_beginning else f'"{self.text}"'


def index_form(text: str) -> str:
    """The text as SQLite's tokenizer is to see it."""
    if text.isascii():
        return text
    return _UNSPACED.sub(_spaced, fold(text))


def fold(text: str) -> str:
    """Lower case, without accents, width variants and invisible characters."""
    if text.isascii():
        return text.lower()
    decomposed = _IGNORED.sub("", unicodedata.normalize("NFKD", text.casefold()))
    composed = unicodedata.normalize("NFC", decomposed)
    return _UNDECOMPOSED.sub(lambda letter: _PLAIN_LETTERS[letter[0]], composed)


def query_terms(query: str) -> list[Term]:
    """What to look for, in order of first appearance, without the words every question has.

    A query of nothing but such words keeps them: they are all it says.
    """
    words = query[:MAX_QUERY_CHARACTERS]
    terms = _terms_of(_without_question_phrases(fold(words))) or _terms_of(fold(words))
    telling = [term for term in terms if term.text not in STOP_WORDS] or terms
    return telling[:MAX_QUERY_TERMS]


def held_terms(terms: Collection[Term], text: str) -> frozenset[Term]:
    """The terms that a text holds, as seen in Python. SQLite's stemmer may see a few more."""
    folded = fold(text)
    stems = {term: stem(term.text) for term in terms if not term.is_unspaced}
    held = {term for term in terms if term.is_unspaced and term.text in folded}
    if stems:
        spaced = folded if folded.isascii() else _UNSPACED.sub(_set_apart, folded)
        # A stem keeps the first letters of its word, so most words need not be stemmed.
        beginnings = {known[:STEM_LETTERS] for known in stems.values()}
        words = {stem(word) for word in _words(spaced) if word[:STEM_LETTERS] in beginnings}
        held.update(term for term, known in stems.items() if known in words)
    return frozenset(held)


def stem(word: str) -> str:
    """A word without its commonest English endings; close to what Porter's stemmer does in SQLite."""
    if len(word) <= STEM_LETTERS or not word.isascii() or word.isdigit():
        return word
    for ending in ("ing", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= STEM_LETTERS and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > STEM_LETTERS and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    if len(word) > STEM_LETTERS and word[-1] in "ey":
        return word[:-1] + ("i" if word[-1] == "y" else "")
    return word


def _terms_of(folded: str) -> list[Term]:
    """The terms of folded text; a lone unspaced character is looked for as the beginning of a pair."""
    found: dict[Term, None] = {}
    position = 0
    for special in _UNSPACED.finditer(folded):
        found.update((Term(word), None) for word in _words(folded[position : special.start()]))
        position = special.end()
        units = _units(special)
        if units is None:
            found[Term(_emoji_word(special[0]))] = None
        elif len(units) == 1:
            found[Term(units[0], is_unspaced=True, is_beginning=True)] = None
        else:
            pairs = map(str.__add__, units, units[1:])
            found.update((Term(pair, is_unspaced=True), None) for pair in pairs)
    found.update((Term(word), None) for word in _words(folded[position:]))
    return list(found)


def _without_question_phrases(folded: str) -> str:
    return QUESTION_PHRASES.sub(" ", folded)


def _words(folded: str) -> list[str]:
    return (_ASCII_WORD if folded.isascii() else _WORD).findall(folded)


def _spaced(special: re.Match[str]) -> str:
    units = _units(special)
    if units is None:
        return f" {_emoji_word(special[0])} "
    return f" {' '.join(map(str.__add__, units, units[1:]))} {units[-1]} "


def _set_apart(special: re.Match[str]) -> str:
    return f" {_emoji_word(special[0])} " if special.lastgroup == "emoji" else " "


def _units(special: re.Match[str]) -> list[str] | str | None:
    """The characters that pairs are made of: a Thai vowel sign stays with its consonant. None: an emoji."""
    if special.lastgroup == "packed":
        return special[0]
    if special.lastgroup == "clustered":
        return _CLUSTER.findall(special[0])
    return None


def _emoji_word(emoji: str) -> str:
    return "emoji" + "x".join(str(ord(character)) for character in emoji)
