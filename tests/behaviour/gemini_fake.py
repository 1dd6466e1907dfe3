"""A second opinion on the wire: a small Gemini API, written from Google's public documentation alone.

It shares nothing with the emulator (whose author also wrote the client), so a mistake both make would show
here. It plays one scene: asked to search and save, it searches, writes what was found to a file, and says
so. What the real API refuses, it refuses: a wrong key, unknown fields, `googleSearch` beside function
declarations, calls that are not answered one by one, and, as Gemini 3, a function call that comes back
without its thought signature.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "a-key-for-the-fake"
QUERY = "北京天气"
FOUND = "今天北京天气晴朗，气温25度。"
PAGE = {"uri": "https://weather.com.cn/beijing", "title": "中国天气网"}
LAST_WORDS = ["我已经搜索了北京天气，", "并把结果保存到 weather.txt。"]
_FIELDS = {"contents", "tools", "systemInstruction", "generationConfig", "toolConfig", "safetySettings"}

Json = dict[str, Any]


class Refused(Exception):
    """A request that Google's servers do not accept."""

    def __init__(self, code: int, status: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.body = {"error": {"code": code, "message": message, "status": status}}


def bad(message: str) -> Refused:
    return Refused(400, "INVALID_ARGUMENT", message)


class FakeGemini:
    """The API and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Json] = []

    def answer(self, model: str, key: str | None, body: Json) -> list[Json]:
        """The responses of one request: several for a stream."""
        if key != KEY:
            raise bad("API key not valid. Please pass a valid API key.")
        self.asked.append(body)
        if unknown := body.keys() - _FIELDS:
            raise bad(f'Invalid JSON payload received. Unknown name "{min(unknown)}": Cannot find field.')
        kinds = {kind for tool in body.get("tools", []) for kind in tool}
        if {"googleSearch", "functionDeclarations"} <= kinds:
            raise bad("Multiple tools are supported only when they are all search tools.")
        check_contents(body["contents"], signed=model.startswith("gemini-3"))
        if kinds == {"googleSearch"}:
            return [grounded()]
        return scene(body["contents"])


def check_contents(contents: list[Json], *, signed: bool) -> None:
    if not contents:
        raise bad("contents is not specified")
    open_calls: list[Json] = []
    for content in contents:
        if content.get("role") not in ("user", "model"):
            raise bad("Please use a valid role: user, model.")
        if not content.get("parts"):
            raise bad("Unable to submit request because it must include at least one parts field.")
        answers = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        if [call["name"] for call in open_calls] != [answer["name"] for answer in answers]:
            raise bad(
                "Please ensure that the number of function response parts is equal to the number of function "
                "call parts of the function call turn."
            )
        for call, answer in zip(open_calls, answers, strict=True):
            if call.get("id") != answer.get("id"):
                raise bad("Function response id does not match its call.")
        calls = [part for part in content["parts"] if "functionCall" in part]
        if signed and calls and "thoughtSignature" not in calls[0]:
            raise bad("Function call is missing a thought_signature in functionCall parts.")
        open_calls = [part["functionCall"] for part in calls]
    if open_calls:
        raise bad("Please ensure that function call turn comes immediately before a function response turn.")


def response(parts: list[Json], *, finish: str | None = None, **more: Any) -> Json:
    candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0, **more}
    if finish:
        candidate["finishReason"] = finish
    usage = {
        "promptTokenCount": 120,
        "candidatesTokenCount": 30,
        "thoughtsTokenCount": 10,
        "totalTokenCount": 160,
    }
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake", "responseId": "r1"}


def grounded() -> Json:
    """A search's answer; segments count in bytes of UTF-8, as Google's do."""
    segment = {"startIndex": 0, "endIndex": len(FOUND.encode()), "text": FOUND}
    metadata = {
        "groundingChunks": [{"web": PAGE}],
        "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
        "webSearchQueries": [QUERY],
        "searchEntryPoint": {"renderedContent": "<div></div>"},
    }
    return response([{"text": FOUND}], finish="STOP", groundingMetadata=metadata)


def scene(contents: list[Json]) -> list[Json]:
    last = contents[-1]["parts"][0].get("functionResponse")
    if last is None:
        return calls("google_web_search", {"query": QUERY}, "call-1")
    given = last["response"]
    if last["name"] == "google_web_search":
        return calls("write_file", {"file_path": "weather.txt", "content": given["llmContent"]}, "call-2")
    if "error" in given:
        return [response([{"text": "没有保存。"}], finish="STOP")]
    first, second = LAST_WORDS
    return [response([{"text": first}]), response([{"text": second}], finish="STOP")]


def calls(name: str, arguments: Json, identity: str) -> list[Json]:
    thought = response([{"text": f"**{name}**", "thought": True}])
    call = {
        "functionCall": {"name": name, "args": arguments, "id": identity},
        "thoughtSignature": f"sig-{identity}",
    }
    return [thought, response([call]), response([{"text": ""}], finish="STOP")]


def handler_for(fake: FakeGemini) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found = re.fullmatch(
                r"/v1beta/models/([^:/]+):(generateContent|streamGenerateContent\?alt=sse)", self.path
            )
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            try:
                if found is None:
                    raise Refused(404, "NOT_FOUND", "Requested entity was not found.")
                answers = fake.answer(found[1], self.headers.get("x-goog-api-key"), body)
            except Refused as refused:
                self._send(refused.code, "application/json; charset=UTF-8", json.dumps(refused.body).encode())
                return
            if found[2] == "generateContent":
                self._send(200, "application/json; charset=UTF-8", json.dumps(answers[0]).encode())
            else:
                events = "".join(f"data: {json.dumps(answer)}\r\n\r\n" for answer in answers)
                self._send(200, "text/event-stream", events.encode())

        def _send(self, code: int, kind: str, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (http.server's name)
            """Nothing is printed."""

    return Handler


@contextmanager
def fake_gemini() -> Iterator[tuple[FakeGemini, str]]:
    """The fake on loopback, and its address."""
    fake = FakeGemini()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(fake))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
