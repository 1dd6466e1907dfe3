"""web_fetch: the pages whose addresses stand in a prompt, as text to read.

Gemini CLI's `web_fetch` takes one text, `prompt`, with addresses and instructions in it, and lets another
model read the pages. Here the model that asks gets the pages themselves, as Markdown between `<source>`
tags and within a fixed length, because it is the one who knows what it looks for. A PDF goes beside the
text, as `read_file` does it.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from groundwire.errors import GroundwireError
from groundwire.tools.base import Declaration, ErrorType, ToolFailure, ToolResult, invalid
from groundwire.tools.declaring import parameters, string
from groundwire.tools.page_text import decoded, readable
from groundwire.tools.schema import first_error
from groundwire.tools.untrusted import untrusted
from groundwire.transport.public_web import Page

MOST_PAGES = 20
MOST_CHARACTERS = 100_000
"""For all pages of a call together."""
_AT_ONCE = 5
_CUT = "\n\n... [Content truncated due to size limit] ..."

Get = Callable[[str], Awaitable[Page]]
"""Fetches one page, or raises one of our errors."""

WEB_FETCH = Declaration(
    "web_fetch",
    f"Fetches up to {MOST_PAGES} web pages and returns them as readable text. Use it to read a page that the "
    "user named or that a search found; the user is asked about any other address. Only http and https, only "
    "pages of the public web. 'blob' addresses of GitHub give the file itself.",
    parameters(
        required=("prompt",),
        prompt=string(
            "The addresses of the pages, each with http:// or https://, and what you want to find in them. "
            'For example: "What changed in version 2? https://example.com/changes"'
        ),
    ),
)


def addresses_in(arguments: object) -> list[str]:
    """The addresses a call asks for, each once. ToolError when there are none, or they cannot be used."""
    wrong = first_error(WEB_FETCH.parameters, arguments)
    if wrong is not None:
        raise invalid(wrong)
    assert isinstance(arguments, Mapping)
    prompt: str = arguments["prompt"]
    if not prompt.strip():
        raise invalid("The 'prompt' parameter cannot be empty and must contain URL(s) and instructions.")
    words = [word for word in prompt.split() if "://" in word]
    others = [word for word in words if not re.search(r"https?://", word, re.IGNORECASE)]
    if others:
        raise invalid(
            "Error(s) in prompt URLs:\n- "
            f'Unsupported protocol in URL: "{others[0]}". Only http and https are supported.'
        )
    found = named_in(prompt)
    if not found:
        raise invalid("The 'prompt' must contain at least one valid URL (starting with http:// or https://).")
    if len(found) > MOST_PAGES:
        raise invalid(
            f"The 'prompt' contains {len(found)} URLs; at most {MOST_PAGES} can be fetched at once."
        )
    return found


_ADDRESS = re.compile(r"https?://[^\s<>\"`{}|\\^\u3000-\u303f\uff00-\uffef]+", re.IGNORECASE)


def named_in(text: str) -> list[str]:
    """The addresses in a text, each once; the punctuation of the sentence around them is not part of them."""
    return list(dict.fromkeys(_without_punctuation(found) for found in _ADDRESS.findall(text)))


def _without_punctuation(address: str) -> str:
    while address and (address[-1] in ".,;:!?'*_~" or _closes_nothing(address)):
        address = address[:-1]
    return address


def _closes_nothing(address: str) -> bool:
    pairs = {")": "(", "]": "["}
    last = address[-1]
    return last in pairs and address.count(last) > address.count(pairs[last])


def same_page(address: str) -> str:
    """One spelling for addresses that mean the same page: to tell whether it was named."""
    try:
        parts = urlsplit(_raw(address))
        host = (parts.hostname or "").rstrip(".")
        port = (
            f":{parts.port}"
            if parts.port and parts.port != {"http": 80, "https": 443}.get(parts.scheme)
            else ""
        )
    except ValueError:
        return address
    return urlunsplit((parts.scheme.lower(), host + port, parts.path or "/", parts.query, ""))


def _raw(address: str) -> str:
    """A file on GitHub instead of the page that shows it."""
    found = re.fullmatch(r"https://github\.com/([^/]+/[^/]+)/blob/([^?#]+).*", address)
    return f"https://raw.githubusercontent.com/{found[1]}/{found[2]}" if found else address


async def fetched(addresses: Sequence[str], get: Get) -> ToolResult:
    """The pages as the model reads them. When none can be read, the result is an error."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(address: str) -> list[Any] | GroundwireError:
        async with gate:
            try:
                page = await get(_raw(address))
                return await asyncio.to_thread(_content, page)
            except GroundwireError as error:
                return error

    pages = dict(zip(addresses, await asyncio.gather(*map(one, addresses)), strict=True))
    failed = {address: page for address, page in pages.items() if isinstance(page, GroundwireError)}
    if len(failed) == len(pages):
        return _nothing(failed)
    read = {address: page for address, page in pages.items() if not isinstance(page, GroundwireError)}
    texts = fitted({address: page[0] for address, page in read.items()}, MOST_CHARACTERS)
    sources = [
        _source(address, texts[address] if address in texts else f"Error: {failed[address].message}")
        for address in addresses
    ]
    told = untrusted("\n".join(sources))
    media = [part for page in read.values() for part in page[1:]]
    many = "page" if len(read) == 1 else "pages"
    display = f"{len(read)} {many}, {sum(map(len, texts.values())):,} characters"
    if failed:
        display += f"; {len(failed)} could not be read"
    return ToolResult([told, *media] if media else told, display)


def _nothing(failed: Mapping[str, GroundwireError]) -> ToolResult:
    why = ", ".join(f"{address}: {error.message}" for address, error in failed.items())
    message = f"All fetch attempts failed: {why}"
    failure = ToolFailure(message, ErrorType.WEB_FETCH_FALLBACK_FAILED)
    return ToolResult(f"Error: {message}", f"Error: {message}", failure)


def _content(page: Page) -> list[Any]:
    """The text of a page, and the part that goes beside it when it is no text."""
    if page.content_type == "application/pdf":
        data = base64.b64encode(page.body).decode("ascii")
        return ["(The PDF follows.)", {"inlineData": {"mimeType": "application/pdf", "data": data}}]
    text = decoded(page.body, page.charset)
    if page.content_type in ("text/html", "application/xhtml+xml"):
        text = readable(text, page.url)
    return [text.strip() or "(The page holds no text.)"]


def fitted(texts: Mapping[str, str], most: int) -> dict[str, str]:
    """The texts within `most` characters together: short ones whole, long ones share what is left."""
    fitting: dict[str, str] = {}
    left, waiting = most, len(texts)
    for address, text in sorted(texts.items(), key=lambda item: len(item[1])):
        share = left // waiting
        fitting[address] = text if len(text) <= share else text[: max(0, share - len(_CUT))] + _CUT
        left -= len(fitting[address])
        waiting -= 1
    return {address: fitting[address] for address in texts}


def _source(address: str, text: str) -> str:
    safe = text.replace("</source>", "&lt;/source&gt;")
    return f'<source url="{address}">\n{safe}\n</source>'
