"""A payment provider for measurements: ``python -m bench.strict_refunds RATE LATENCY_MS``.

It counts as strictly as ``bench.strict_provider``, and speaks as much of Stripe's API as a refund needs: each that it
takes has succeeded. ``GET /told`` tells of which payment each was.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any
from urllib.parse import parse_qs

from bench.strict_provider import StrictProvider, main


class StrictRefunds(StrictProvider):
    """Takes refunds where the other takes mails."""

    refusal: Any = {"error": {"type": "invalid_request_error", "code": "rate_limit", "message": "Too many requests."}}

    def headers(self, status: int) -> list[str]:
        """As Stripe: each request has an id, and a refusal names no time."""
        return ["Request-Id: req_bench"]

    def take(self, content: bytes, *, number: int) -> tuple[str, Any]:
        """The payment that is given back, and its refund."""
        asked = parse_qs(content.decode())
        refund = {"id": f"re_{number}", "object": "refund", "status": "succeeded", "amount": int(asked["amount"][0])}
        return asked["payment_intent"][0], refund


if __name__ == "__main__":
    asyncio.run(main(StrictRefunds(rate=int(sys.argv[1]), latency=float(sys.argv[2]) / 1000)))
