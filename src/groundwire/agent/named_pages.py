"""The pages an agent may open without asking: those that the person named, and those that a search found.

An address in a file, in a command's output or in a page is somebody else's wish: it is put to the person.
So is an address the model made up, which could carry what it has read to someone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.agent.compaction import SUMMARY
from groundwire.agent.reply import Content
from groundwire.citations import Source
from groundwire.tools.web_fetch import named_in, same_page


class NamedPages:
    """What was named so far."""

    def __init__(self, search: str) -> None:
        """`search` is the name of the function that searches."""
        self._search = search
        self._named: set[str] = set()

    def recall(self, history: Iterable[Content]) -> None:
        """Take in a history: the person's words, and what searches gave."""
        for content in history:
            if content["role"] == "user":
                for part in content["parts"]:
                    self._hear(_said(part) or self._found(part))

    def found(self, sources: Iterable[Source]) -> None:
        """Take in what a search found."""
        self._named.update(same_page(source.uri) for source in sources if source.uri)

    def unnamed(self, addresses: Sequence[str]) -> tuple[str, ...]:
        """Those of the addresses that nobody named."""
        return tuple(address for address in addresses if same_page(address) not in self._named)

    def _hear(self, words: str) -> None:
        self._named.update(map(same_page, named_in(words)))

    def _found(self, part: Content) -> str:
        answered = part.get("functionResponse", {})
        return str(answered["response"].get("llmContent", "")) if answered.get("name") == self._search else ""


def _said(part: Content) -> str:
    """The person's words; a summary of the past stands in their place and is not theirs."""
    words = str(part.get("text") or "")
    return "" if words.startswith(SUMMARY) else words
