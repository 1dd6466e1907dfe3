"""A browser for tests: opens an address, follows redirects, presses buttons. Runs in a thread of its own.

As a program (`BROWSER="python scripted_browser.py PAGE %s"`) it writes the last page it saw to a file.
"""

from __future__ import annotations

import re
import sys
import threading
import urllib.error
import urllib.request
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlencode

_FIELD = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)"')
_LINK = re.compile(r'<a id="allow" href="([^"]*)"')


class ScriptedBrowser:
    """What the browser showed last is in `status` and `text`. `presses` is the button of a consent page."""

    def __init__(self, *, presses: str = "allow", before: tuple[str, ...] = ()) -> None:
        """`before` are requests that stray in at the callback's host first: paths with queries."""
        self.presses = presses
        self.before = before
        self.status = 0
        self.text = ""
        self.address = ""
        self.strays: list[int] = []
        self._thread: threading.Thread | None = None

    def open(self, address: str) -> None:
        """Begin to visit; `closed` waits for the end."""
        self._thread = threading.Thread(target=self._visit, args=(address,))
        self._thread.start()

    def closed(self) -> ScriptedBrowser:
        """The browser after its last page."""
        assert self._thread is not None
        self._thread.join(30)
        return self

    def _visit(self, address: str) -> None:
        callback = re.search(r"redirect_uri=(http%3A%2F%2F127\.0\.0\.1%3A\d+)", address)
        for stray in self.before:
            assert callback is not None
            self._load(urllib.request.Request(unquote(callback.group(1)) + stray))
            self.strays.append(self.status)
        self._load(urllib.request.Request(address))
        if link := _LINK.search(self.text):
            self._load(urllib.request.Request(unescape(link.group(1))))
        elif "<form" in self.text:
            fields = {unescape(name): unescape(value) for name, value in _FIELD.findall(self.text)}
            body = urlencode({**fields, "decision": self.presses}).encode()
            self._load(urllib.request.Request(address, data=body))

    def _load(self, request: urllib.request.Request) -> None:
        try:
            with urllib.request.build_opener().open(request, timeout=20) as response:
                self.status, self.text, self.address = response.status, response.read().decode(), response.url
        except urllib.error.HTTPError as refused:
            with refused:
                self.status, self.text = refused.code, refused.read().decode()


if __name__ == "__main__":
    browser = ScriptedBrowser()
    browser.open(sys.argv[2])
    Path(sys.argv[1]).write_text(browser.closed().text, encoding="utf-8")
