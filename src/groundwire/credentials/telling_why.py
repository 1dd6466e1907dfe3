"""The layer that turns Code Assist's refusals into errors that say what to do (see `google_refusals`)."""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.credentials.google_refusals import refusal
from groundwire.transport.base import Request, Response, Transport, whole
from groundwire.transport.retry import in_memory


@dataclass(frozen=True, slots=True)
class TellingWhy:
    """Raises CodeAssistRefused for a refusal whose cause is known; hands on everything else."""

    inner: Transport

    async def send(self, request: Request) -> Response:
        """Send, and look at what is refused."""
        response = await self.inner.send(request)
        if response.status != 403:
            return response
        refused = await in_memory(response)
        body = await refused.read()
        if (error := refusal(403, body)) is not None:
            raise error
        return Response(403, refused.headers, whole(body))
