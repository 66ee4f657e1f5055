"""Sends events, signed, until they are answered with 2xx (docs.svix.com: signatures; the schedule is shortened).

At least once and in no order: several threads send. What is on its way stands in a file beside the mails until it is
answered or given up, and a later process goes on with it.
"""

from __future__ import annotations

import base64
import hashlib
import heapq
import hmac
import itertools
import json
import secrets
import threading
import time
import traceback
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, build_opener

from sandbox.esp.asked import take_asked
from sandbox.esp.events import event_of
from sandbox.esp.knobs import EspKnobs
from sandbox.knobs import KnobFile

PATIENCE = 10  # seconds for an answer
WAITS = (1, 5, 30, 300, 1800)  # seconds before another try
LOOKS_EVERY = 0.1
SENDERS = 4
MOST_KEPT = 1_000

_opener = build_opener()


@dataclass
class Delivery:
    """One event on its way. The id is the same in each attempt."""

    id: str
    body: bytes
    attempts: int = 0
    outcome: str = ""


def signature(body: bytes, *, id: str, at: int, secret: str) -> str:
    """The ``svix-signature`` of a body that is sent at an instant of the real clock."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


class Deliverer:
    """A thread that sends what is due, until it is stopped."""

    def __init__(self, *, url: str, secret: str, folder: Path, knobs: KnobFile[EspKnobs]) -> None:
        self.url, self._secret, self._folder, self._knobs = url, secret, folder, knobs
        self._kept = folder / "events"
        self._kept.mkdir(exist_ok=True)
        self.newest: deque[Delivery] = deque(maxlen=MOST_KEPT)
        self._due: list[tuple[float, int, Delivery]] = []
        self._count = itertools.count()
        self._lock = threading.Lock()
        self._stopped, self._woken = threading.Event(), threading.Event()
        self._pool = ThreadPoolExecutor(SENDERS, thread_name_prefix="webhooks")
        self._thread = threading.Thread(target=self._run, name="deliverer", daemon=True)

    def start(self) -> None:
        """Go on with what an earlier process left, and send from now on."""
        for file in sorted(self._kept.glob("*.json")):
            delivery = Delivery(file.stem, file.read_bytes())
            self.newest.append(delivery)
            self._send_at(time.monotonic(), delivery)
        self._thread.start()

    def stop(self) -> None:
        """End after what is being sent."""
        self._stopped.set()
        self._woken.set()
        self._thread.join()
        self._pool.shutdown(cancel_futures=True)

    def tell(self, record: dict[str, Any], happening: str) -> None:
        """Send the event of this, as the knobs say."""
        knobs = self._knobs.read()
        if not self.url or knobs.webhooks == "never":
            return
        delivery = Delivery(f"msg_{secrets.token_hex(14)}", json.dumps(event_of(record, happening)).encode())
        self.newest.append(delivery)
        self._keep(delivery)
        for _ in range(knobs.webhook_copies):
            self._send_at(time.monotonic() + knobs.webhook_delay_s, delivery)

    def _file(self, delivery: Delivery) -> Path:
        return self._kept / f"{delivery.id}.json"

    def _keep(self, delivery: Delivery) -> None:
        draft = self._file(delivery).with_suffix(".draft")
        draft.write_bytes(delivery.body)
        draft.rename(self._file(delivery))

    def _send_at(self, instant: float, delivery: Delivery) -> None:
        with self._lock:
            heapq.heappush(self._due, (instant, next(self._count), delivery))
        self._woken.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._woken.wait(LOOKS_EVERY)
            self._woken.clear()
            try:
                for record, happening in take_asked(self._folder):
                    self.tell(record, happening)
                while (delivery := self._next()) is not None:
                    self._pool.submit(self._send, delivery)
            except Exception:  # whatever it was, the next events must still be sent
                traceback.print_exc()

    def _next(self) -> Delivery | None:
        with self._lock:
            if self._due and self._due[0][0] <= time.monotonic():
                return heapq.heappop(self._due)[2]
        return None

    def _send(self, delivery: Delivery) -> None:
        delivered, delivery.outcome = self._post(delivery)
        if not delivered and delivery.attempts < len(WAITS):
            self._send_at(time.monotonic() + WAITS[delivery.attempts], delivery)
        else:
            self._file(delivery).unlink(missing_ok=True)
        delivery.attempts += 1

    def _post(self, delivery: Delivery) -> tuple[bool, str]:
        at = int(time.time())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Svix-Webhooks/1.0 (sandbox)",
            "svix-id": delivery.id,
            "svix-timestamp": str(at),
            "svix-signature": signature(delivery.body, id=delivery.id, at=at, secret=self._secret),
        }
        try:
            request = Request(self.url, delivery.body, headers)  # noqa: S310 - an address that a developer set
            with _opener.open(request, timeout=PATIENCE) as answer:
                return True, str(answer.status)
        except HTTPError as error:
            error.close()
            return False, str(error.code)
        except (OSError, HTTPException, ValueError) as error:
            return False, type(error).__name__
