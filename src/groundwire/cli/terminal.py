"""The person at this terminal, who signs in: lines to read, questions, a browser."""

from __future__ import annotations

import sys
import threading

from groundwire.cli.printable import printable


class Terminal:
    """Talks with whoever sits there; without a terminal, answers are lines of standard input."""

    def say(self, text: str) -> None:
        """Show a line."""
        print(printable(text), flush=True)

    def ask(self, question: str) -> str:
        """What they type; empty when nobody is there."""
        print(question, end="", flush=True)
        return sys.stdin.readline(10_000)

    def open_browser(self, address: str) -> None:
        """Start a browser without waiting for it: some run until they are closed."""
        import webbrowser

        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
