"""Text that is shown while it arrives: links and markers are held back until they are whole, then left out.

What `LiveText` lets through is the answer's text without its citations; the numbers come with the
finished result, when it is known what they stand for.
"""

from __future__ import annotations

import re

from groundwire.providers.links import plain

_FENCE = re.compile(r"[ \t]{0,3}(?:`{3,}|~{3,})")
_PAIRS = (("[", "]"), ("(", ")"), ("【", "】"), ("\ue200", "\ue201"))
_LONGEST_HELD = 4000


class LiveText:
    """Feed it deltas; it gives back what can be shown. `close` gives the rest."""

    def __init__(self) -> None:
        self._held = ""
        self._in_code = False
        self._line_so_far = ""

    def feed(self, delta: str) -> str:
        """What can be shown after `delta` arrived."""
        self._held += delta
        *lines, self._held = self._held.split("\n")
        shown = "".join(self._line(line + "\n") for line in lines)
        end = len(self._held) if self._in_code else _whole_until(self._held)
        if len(self._held) > _LONGEST_HELD:
            end = len(self._held)
        piece, self._held = self._held[:end], self._held[end:]
        return shown + self._piece(piece)

    def close(self) -> str:
        """What was still held back when the answer ended."""
        piece, self._held = self._held, ""
        return self._piece(piece)

    def _line(self, line: str) -> str:
        shown = self._piece(line)
        if self._is_fence(""):  # its beginning may have been shown with an earlier delta
            self._in_code = not self._in_code
        self._line_so_far = ""
        return shown

    def _piece(self, piece: str) -> str:
        shown = piece
        if piece and not self._in_code and not self._is_fence(piece):
            shown = plain(piece, line_so_far=self._line_so_far)
        self._line_so_far += shown
        return shown

    def _is_fence(self, piece: str) -> bool:
        return _FENCE.match(self._line_so_far + piece) is not None


def _whole_until(line: str) -> int:
    """The end of the longest beginning of `line` in which nothing is open; before its last spaces."""
    depth = dict.fromkeys((opening for opening, _ in _PAIRS), 0)
    closing = {end: start for start, end in _PAIRS}
    ticks = 0
    safe = 0
    for place, character in enumerate(line):
        if character == "`":
            ticks += 1
        elif character in depth:
            depth[character] += 1
        elif character in closing:
            depth[closing[character]] = max(0, depth[closing[character]] - 1)
        elif character.isspace() and not any(depth.values()) and ticks % 2 == 0:
            safe = place
    return len(line[:safe].rstrip())
