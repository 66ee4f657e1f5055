"""Sends events to the endpoint until it answers 2xx (docs.stripe.com, "Webhooks": signatures, retries for three days).

At least once, in no order: several threads send, and what was being sent when the process ended is sent again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from sqlite3 import Row
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from sandbox.stripe.settle import catch_up
from sandbox.stripe.stand_in import StandIn

PATIENCE = 10  # seconds for an answer
FIRST_WAIT, LONGEST_WAIT = 2, 12 * 3600  # seconds of the stand-in's clock before another try; doubled each time
GIVEN_UP_AFTER = 3 * 86_400
LOOKS_EVERY = 0.1  # seconds
SENDERS = 4
AT_ONCE = 50

DUE = """
SELECT * FROM deliveries WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at, turn LIMIT ?
"""
"""The next deliveries in their order. Index: deliveries_due."""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


def signature(body: bytes, *, secret: str, at: int) -> str:
    """The ``Stripe-Signature`` of a body sent at an instant of the real clock, which is what receivers compare with."""
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={signed}"


class Deliverer:
    """Threads that send what is due, and let happen what is due, until they are stopped."""

    def __init__(self, stand_in: StandIn) -> None:
        self._stand_in = stand_in
        self._stopped = threading.Event()
        self._pool = ThreadPoolExecutor(SENDERS, thread_name_prefix="webhooks")
        self._thread = threading.Thread(target=self._run, name="deliverer", daemon=True)
        stand_in.state.rows("UPDATE deliveries SET state = 'waiting' WHERE state = 'sending'")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End after what is being sent."""
        self._stopped.set()
        self._stand_in.something_happened.set()
        self._thread.join()
        self._pool.shutdown(cancel_futures=True)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._stand_in.something_happened.wait(LOOKS_EVERY)
            self._stand_in.something_happened.clear()
            try:
                self._look()
            except Exception:  # whatever it was, the next events must still be sent
                traceback.print_exc()

    def _look(self) -> None:
        catch_up(self._stand_in)
        for delivery in self._take():
            if self._stand_in.board.knobs.webhook_reorder_s:
                self._send(delivery)  # one after another: their order is the point
            else:
                self._pool.submit(self._send, delivery)

    def _take(self) -> list[Row]:
        state = self._stand_in.state
        with state.changing():
            due = state.rows(DUE, (self._stand_in.instant(), AT_ONCE))
            for delivery in due:
                state.rows("UPDATE deliveries SET state = 'sending' WHERE id = ?", (delivery["id"],))
        return due

    def _send(self, delivery: Row) -> None:
        event = self._stand_in.state.find("event", delivery["event"])
        delivered, outcome = _post(delivery["url"], event, self._stand_in.endpoint["secret"]) if event else (True, "")
        _record(self._stand_in, delivery, delivered=delivered, outcome=outcome)


def _post(url: str, event: Mapping[str, Any], secret: str) -> tuple[bool, str]:
    """Whether the endpoint took it, and what it said."""
    body = json.dumps(event, indent=2).encode()
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
        "Stripe-Signature": signature(body, secret=secret, at=int(time.time())),
    }
    try:
        request = Request(url, body, headers)  # noqa: S310 - an address that a developer set
        with _opener.open(request, timeout=PATIENCE) as answer:
            return True, str(answer.status)
    except HTTPError as error:
        error.close()
        return False, str(error.code)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        return False, str(getattr(reason, "strerror", None) or reason)[:200]


def _record(stand_in: StandIn, delivery: Row, *, delivered: bool, outcome: str) -> None:
    now = stand_in.instant()
    attempts = delivery["attempts"] + 1
    due_at = now + min(FIRST_WAIT * 2 ** min(delivery["attempts"], 20), LONGEST_WAIT)
    given_up = due_at > delivery["created_at"] + GIVEN_UP_AFTER
    new_state = "delivered" if delivered else "failed" if given_up else "waiting"
    with stand_in.state.changing():
        stand_in.state.rows(
            "UPDATE deliveries SET state = ?, attempts = ?, due_at = ?, outcome = ? WHERE id = ? AND state = 'sending'",
            (new_state, attempts, due_at, outcome, delivery["id"]),
        )
        event = stand_in.state.find("event", delivery["event"])
        if delivered and event and event["pending_webhooks"]:
            stand_in.state.save({**event, "pending_webhooks": 0})


def send_again(stand_in: StandIn, delivery_id: int) -> bool:
    """Send a delivery now, whatever became of it. False when there is none."""
    with stand_in.state.changing():
        if not stand_in.state.rows("SELECT id FROM deliveries WHERE id = ?", (delivery_id,)):
            return False
        now = stand_in.instant()
        stand_in.state.rows(
            "UPDATE deliveries SET state = 'waiting', attempts = 0, created_at = ?, due_at = ? WHERE id = ?",
            (now, now, delivery_id),
        )
    stand_in.something_happened.set()
    return True
