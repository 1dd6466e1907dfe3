"""The documents that searches run over: a folder, something with `find`, or the bundled ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from groundwire.emulator.composing import Documents, Found, Passage


def open_documents(corpus: Documents | Path | str | None) -> Documents:
    """The documents to search."""
    if corpus is None or isinstance(corpus, str | Path):
        return FewDocuments()
    return corpus


class FewDocuments:
    """Three passages, found when they share a word with the query."""

    _ALL = (
        Found(
            "Beijing weather today",
            "https://weather.example/beijing",
            "Beijing is sunny today, 25 degrees with a light north wind.",
        ),
        Found("北京天气预报", "https://tianqi.example/beijing", "北京今天天气晴朗，气温二十五度。明天多云。"),
        Found(
            "What is new in Python",
            "https://python.example/whatsnew",
            "Python 3.14 adds template strings and a new type parameter syntax.",
        ),
    )

    def find(self, query: str, limit: int) -> Sequence[Passage]:
        """The passages that share a word (or two Chinese characters) with the query."""
        lowered = query.lower()
        words = {word for word in lowered.split() if len(word) > 3}
        words |= {lowered[i : i + 2] for i in range(len(lowered) - 1) if lowered[i] > "\u2e80"}
        return [
            found
            for found in self._ALL
            if any(word in f"{found.title} {found.text}".lower() for word in words)
        ][:limit]
