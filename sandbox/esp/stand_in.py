"""The one account of the stand-in: its mailbox, its knobs, its keys, its limit, and what it was asked for."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from functools import lru_cache
from pathlib import Path
from typing import Any

from sandbox.esp.deliver import Deliverer
from sandbox.esp.keys import Keys
from sandbox.esp.knobs import esp_knobs
from sandbox.esp.window import Window
from sandbox.mailbox import Mailbox

MOST_REQUESTS = 100_000


class StandIn:
    """What all requests work on."""

    def __init__(self, *, folder: Path, api_key: str, webhook_url: str, webhook_secret: str) -> None:
        self.mailbox = Mailbox(folder)
        self.knobs = esp_knobs(folder)
        self.api_key = api_key
        self.keys, self.window = Keys(folder / "esp-keys.jsonl"), Window()
        self._outcomes: Counter[str] = Counter()
        self._requests: deque[tuple[float, str, str]] = deque(maxlen=MOST_REQUESTS)
        self.deliverer = Deliverer(url=webhook_url, secret=webhook_secret, folder=folder, knobs=self.knobs)
        self._lock = threading.Lock()

    def note(self, outcome: str, to: str = "") -> None:
        """Remember a request that was answered, and how."""
        with self._lock:
            self._outcomes[outcome] += 1
            self._requests.append((time.time(), outcome, to))

    def told(self) -> dict[str, Any]:
        """How many requests were answered how, and the newest of them with their instants."""
        with self._lock:
            return {"outcomes": dict(self._outcomes), "requests": list(self._requests)}

    def forget(self) -> None:
        """No requests and no keys, as on the first day; the mails stay."""
        with self._lock:
            self._outcomes.clear()
            self._requests.clear()
        self.keys.forget()
        self.window = Window()


@lru_cache(maxsize=1)
def the_stand_in() -> StandIn:
    """The account of this process, as its settings say."""
    from sandbox.esp import settings

    return StandIn(
        folder=settings.SANDBOX_MAILDIR,
        api_key=settings.SANDBOX_ESP_KEY,
        webhook_url=settings.SANDBOX_ESP_WEBHOOK_URL,
        webhook_secret=settings.MAIL_WEBHOOK_SECRET,
    )
