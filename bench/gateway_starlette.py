"""What Python proxies of this kind are: a Starlette application that forwards with httpx.

python gateway_starlette.py PORT UPSTREAM_PORT       runs in an environment of its own
"""

import sys
from collections.abc import AsyncIterator

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

PORT, UPSTREAM = int(sys.argv[1]), f"http://127.0.0.1:{sys.argv[2]}"
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=512)
client = httpx.AsyncClient(base_url=UPSTREAM, timeout=600, limits=LIMITS, trust_env=False)
LEFT_OUT = {"host", "content-length", "transfer-encoding", "connection", "accept-encoding"}


async def forward(request: Request) -> StreamingResponse:
    """Send the request on and stream the answer back."""
    headers = {name: value for name, value in request.headers.items() if name not in LEFT_OUT}
    url = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    asked = client.build_request(request.method, url, headers=headers, content=await request.body())
    response = await client.send(asked, stream=True)

    async def body() -> AsyncIterator[bytes]:
        async for chunk in response.aiter_raw():
            yield chunk
        await response.aclose()

    kept = {name: value for name, value in response.headers.items() if name not in LEFT_OUT}
    return StreamingResponse(body(), response.status_code, kept)


app = Starlette(routes=[Route("/{path:path}", forward, methods=["GET", "POST"])])
uvicorn.run(
    app, host="127.0.0.1", port=PORT, log_level="error", loop="uvloop", http="httptools", access_log=False
)
