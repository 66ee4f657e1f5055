"""The least that an ASGI application can do to redirect: what the server itself costs."""

from __future__ import annotations

from typing import Any

START = {
    "type": "http.response.start",
    "status": 302,
    "headers": [(b"location", b"https://example.org/"), (b"cache-control", b"no-store"), (b"content-length", b"0")],
}
BODY = {"type": "http.response.body", "body": b""}


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The same answer to everybody."""
    if scope["type"] == "http":
        await send(START)
        await send(BODY)
        return
    for step in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{step}.complete"})
