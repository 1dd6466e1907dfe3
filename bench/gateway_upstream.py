"""The upstream of the gateway benchmark: fixed answers as fast as a Python process can give them.

    python -m bench.gateway_upstream PORT       serves the Gemini API's form, and Code Assist's at /v1internal

A stream has as many events as the request's path says (`models/stream-120:…`), twenty a second. Each says
which one it is and when it was sent, by the clock that all processes of this machine share, so that whoever
reads it can tell what is lost, doubled, out of order or late.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from typing import cast

import uvloop

TOKENS_PER_SECOND = 20
SENTENCE = "A fixed answer of about the length that a short question gets from a model. " * 3

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_STREAM = re.compile(rb"stream-(\d+)")


def _document(text: str, finish: str = "") -> str:
    finished = f',"finishReason":"{finish}"' if finish else ""
    return (
        f'{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}],"role":"model"}},"index":0{finished}}}],'
        '"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":48,"totalTokenCount":60},'
        '"modelVersion":"gemini-2.5-flash","responseId":"fixed"}'
    )


def _whole(document: str) -> bytes:
    body = document.encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )


PLAIN = _whole(_document(SENTENCE, "STOP"))
WRAPPED = _whole(f'{{"response":{_document(SENTENCE, "STOP")},"traceId":"t"}}')
SETUP = _whole('{"currentTier":{"id":"standard-tier"},"cloudaicompanionProject":"benchmark"}')
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


class Answering(asyncio.Protocol):
    """One connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)
        self._received = b""
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_lost(self, error: Exception | None) -> None:
        for task in self._tasks:
            task.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = self._received[:end]
            length = _LENGTH.search(head)
            size = end + 4 + (int(length[1]) if length else 0)
            if len(self._received) < size:
                return
            request, self._received = self._received[:size], self._received[size:]
            self._answer(head.partition(b"\r\n")[0], request)

    def _answer(self, line: bytes, request: bytes) -> None:
        if b"loadCodeAssist" in line:
            self._transport.write(SETUP)
            return
        wrapped = b"v1internal" in line
        if b"streamGenerateContent" not in line:
            self._transport.write(WRAPPED if wrapped else PLAIN)
            return
        count = _STREAM.search(request)
        task = asyncio.get_running_loop().create_task(self._stream(int(count[1]) if count else 20, wrapped))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stream(self, count: int, wrapped: bool) -> None:
        self._transport.write(HEAD)
        began = time.perf_counter()
        for number in range(count):
            await asyncio.sleep(max(0.0, began + (number + 1) / TOKENS_PER_SECOND - time.perf_counter()))
            last = number == count - 1
            document = _document(
                f"event {number} of {count} at {time.perf_counter():.6f}", "STOP" if last else ""
            )
            if wrapped:
                document = f'{{"response":{document},"traceId":"t"}}'
            event = f"data: {document}\r\n\r\n".encode()
            self._transport.write(b"%x\r\n%b\r\n" % (len(event), event))
        self._transport.write(b"0\r\n\r\n")


async def main(port: int) -> None:
    """Serve until killed."""
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", port, backlog=1024)
    print("listening", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
