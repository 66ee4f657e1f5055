"""A mail provider for measurements: ``python -m bench.strict_provider RATE LATENCY_MS``.

It takes RATE requests in any second that has passed, wherever the second begins, and answers the others with 429; what
it has taken it answers after LATENCY_MS. It speaks as much of the API of Resend as a mail needs. One process that waits
and does nothing else, so that it takes no processor from those that are measured. ``GET /told``: when each mail was
taken, to whom, and how many requests were refused; ``GET /told/count``: how many were taken, in a moment.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import deque
from contextlib import suppress
from typing import Any


class StrictProvider:
    """rate: requests that it takes in any second. latency: seconds until it answers one that it has taken.

    Who speaks another API says how that one refuses (``refusal``, ``headers``) and takes (``take``).
    """

    refusal: Any = {"statusCode": 429, "name": "rate_limit_exceeded", "message": "Too many requests."}

    def __init__(self, *, rate: int, latency: float) -> None:
        self._latency = latency
        self._passed: deque[float] = deque(maxlen=rate)
        self._taken: list[tuple[float, str]] = []
        self._refused = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The requests of one connection, one after the other."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                status, answer = await self._answer(head, await reader.readexactly(_length(head)))
                content = json.dumps(answer).encode()
                lines = [f"HTTP/1.1 {status} -", f"Content-Length: {len(content)}", "Content-Type: application/json"]
                writer.write("\r\n".join([*lines, *self.headers(status), "", ""]).encode() + content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _answer(self, head: bytes, content: bytes) -> tuple[int, Any]:
        if head.startswith(b"GET /told/count"):
            return 200, len(self._taken)
        if head.startswith(b"GET /told"):
            return 200, {"taken": self._taken, "refused": self._refused}
        now = time.time()
        if len(self._passed) == self._passed.maxlen and now - self._passed[0] < 1.0:
            self._refused += 1
            return 429, self.refusal
        self._passed.append(now)
        of, answer = self.take(content, number=len(self._taken) + 1)
        self._taken.append((now, of))
        await asyncio.sleep(self._latency)
        return 200, answer

    def headers(self, status: int) -> list[str]:
        """What its answers say beside length and type."""
        return ["Retry-After: 1"] if status == 429 else []

    def take(self, content: bytes, *, number: int) -> tuple[str, Any]:
        """Whom the request is about, and the answer to it, which is the ``number``-th that was taken."""
        return json.loads(content)["to"][0], {"id": f"mail-{number}"}


def _length(head: bytes) -> int:
    lines = (line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return next((int(line.partition(b":")[2]) for line in lines), 0)


async def main(provider: StrictProvider) -> None:
    """Serve on a free port until killed, and print it."""
    with suppress(OSError):  # it stands for a machine of its own, and ours may be busy; only some may ask for that
        os.nice(-10)
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0)
    print(f"READY {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(StrictProvider(rate=int(sys.argv[1]), latency=float(sys.argv[2]) / 1000)))
