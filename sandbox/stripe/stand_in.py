"""The one account of the stand-in: its objects, its knobs, its clock and where its events go."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sandbox.stripe.knobs import Board
from sandbox.stripe.limiter import Limiter
from sandbox.stripe.state import State


@dataclass(frozen=True)
class Cause:
    """The API request that an event tells as its cause; nothing for what happens by itself or on the payment page."""

    request_id: str | None = None
    idempotency_key: str | None = None


CAUSE: ContextVar[Cause] = ContextVar("cause", default=Cause())  # noqa: B039 - it cannot change


class StandIn:
    """What all requests work on."""

    def __init__(self, *, folder: Path | None, api_key: str, webhook_url: str, webhook_secret: str) -> None:
        self.state = State(folder)
        self.board = Board(self.state)
        self.limiter = Limiter()
        self.api_key = api_key
        self.something_happened = threading.Event()  # wakes the sender of webhooks
        # A key that was in use when the process ended is free: nothing of its request was kept.
        self.state.rows("DELETE FROM keys WHERE status IS NULL")
        if webhook_url or self.state.setting("endpoint") is None:
            self.set_endpoint(url=webhook_url, secret=webhook_secret)

    def instant(self) -> float:
        """The stand-in's time in seconds since 1970: the machine's, moved ahead by the knob."""
        return time.time() + self.board.knobs.clock_offset_s

    def now(self) -> int:
        """The same, in whole seconds as the API tells it."""
        return int(self.instant())

    @property
    def endpoint(self) -> dict[str, Any]:
        """Where events are sent: ``url`` (empty for nowhere), ``secret`` and ``enabled_events``."""
        endpoint: dict[str, Any] = self.state.setting("endpoint")
        return endpoint

    def set_endpoint(self, *, url: str, secret: str, enabled_events: tuple[str, ...] = ("*",)) -> None:
        """Send events there from now on."""
        self.state.set("endpoint", {"url": url, "secret": secret, "enabled_events": list(enabled_events)})


@lru_cache(maxsize=1)
def the_stand_in() -> StandIn:
    """The account of this process, as its settings say."""
    from sandbox.stripe import settings

    return StandIn(
        folder=settings.SANDBOX_STRIPE_DIR,
        api_key=settings.STRIPE_API_KEY,
        webhook_url=settings.SANDBOX_STRIPE_WEBHOOK_URL,
        webhook_secret=settings.STRIPE_WEBHOOK_SECRET,
    )
