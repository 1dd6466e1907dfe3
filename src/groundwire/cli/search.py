"""Ask the web (or your own documents) and get an answer whose claims carry numbered sources.

examples:
  groundwire search "What is new in Python 3.14?"
  groundwire search "北京天气" --provider gemini --json
  groundwire search "how do we deploy?" --provider local --corpus docs/
  groundwire search "who won?" --provider all

Without --provider the first one that has a credential is asked, in the order
gemini, openai_oauth, openrouter, local. groundwire doctor shows which that is.
"""

from __future__ import annotations

import argparse

LABELS = {
    "gemini": "Gemini",
    "openai_oauth": "ChatGPT",
    "openrouter": "OpenRouter",
    "local": "your documents",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire search`."""
    parser.add_argument(
        "query", nargs="+", metavar="QUERY", help="what to ask; - reads it from standard input"
    )
    parser.add_argument(
        "--provider",
        metavar="NAME",
        help=f"who should answer: {', '.join(LABELS)}, or all of them at once: all",
    )
    parser.add_argument("--model", help="the model to ask; needs --provider")
    parser.add_argument(
        "--json", action="store_true", help="print the result object, also when the search fails"
    )
    parser.add_argument("--stream", action="store_true", help="show text while it arrives")
    parser.add_argument("--max-sources", type=int, metavar="N", help="at most N sources")
    parser.add_argument("--language", metavar="CODE", help="answer in this language, e.g. de")
    parser.add_argument("--region", metavar="CODE", help="prefer this country's facts and sources, e.g. AT")
    parser.add_argument(
        "--raw", action="store_true", default=None, help="add the provider's own metadata to --json"
    )
    parser.add_argument(
        "--resolve-links",
        action="store_true",
        default=None,
        help="turn Google's redirect links into the real ones",
    )
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="for the whole search (default 120)")
    parser.add_argument("--corpus", metavar="DIR", help="the folder of documents for --provider local")


def run(arguments: argparse.Namespace) -> int:
    """Search; the exit code says how it went."""
    from groundwire.cli.searching import search

    return search(arguments)
