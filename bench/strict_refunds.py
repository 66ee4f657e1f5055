"""A payment provider for measurements: ``python -m bench.strict_refunds RATE LATENCY_MS``.

It takes RATE refunds in any second that has passed, wherever the second begins, and answers the others with 429; what
it has taken it answers after LATENCY_MS, as a refund that succeeded. It speaks as much of Stripe's API as a refund
needs. One process that waits and does nothing else, so that it takes no processor from those that are measured. ``GET
/told``: when each refund was taken, of which payment, and how many requests were refused; ``GET /told/count``: how many
were taken, in a moment.
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
from urllib.parse import parse_qs

LIMITED = {"error": {"type": "invalid_request_error", "code": "rate_limit", "message": "Too many requests."}}


class StrictRefunds:
    """rate: refunds that it takes in any second. latency: seconds until it answers one that it has taken."""

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
                writer.write("\r\n".join([*lines, "Request-Id: req_bench", "", ""]).encode() + content)
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
            return 429, LIMITED
        self._passed.append(now)
        asked = parse_qs(content.decode())
        intent, amount = asked["payment_intent"][0], int(asked["amount"][0])
        self._taken.append((now, intent))
        number = len(self._taken)
        await asyncio.sleep(self._latency)
        return 200, {"id": f"re_{number}", "object": "refund", "status": "succeeded", "amount": amount}


def _length(head: bytes) -> int:
    lines = (line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return next((int(line.partition(b":")[2]) for line in lines), 0)


async def main(rate: int, latency_ms: float) -> None:
    """Serve on a free port until killed, and print it."""
    with suppress(OSError):  # it stands for a machine of its own, and ours may be busy; only some may ask for that
        os.nice(-10)
    server = await asyncio.start_server(StrictRefunds(rate=rate, latency=latency_ms / 1000).serve, "127.0.0.1", 0)
    print(f"READY {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
