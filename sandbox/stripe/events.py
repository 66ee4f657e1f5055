"""Events, and the deliveries that they cause (Stripe API reference, "Events"; docs.stripe.com, "Webhooks").

An event keeps the object as it was. Each delivery is a row: ``waiting`` until its time, then ``delivered``, ``failed``
after three days of trying, or ``withheld`` when the knob says never.
"""

from __future__ import annotations

import math
from typing import Any

from sandbox.stripe.errors import API_VERSION
from sandbox.stripe.ids import new_id
from sandbox.stripe.render import rendered
from sandbox.stripe.stand_in import CAUSE, StandIn
from sandbox.stripe.state import Body


def emit(stand_in: StandIn, type: str, about: Body, *, previous: dict[str, Any] | None = None) -> None:
    """Record that something happened to ``about``, and plan to tell the endpoint. Runs in ``changing()``."""
    endpoint = stand_in.endpoint
    enabled = bool(endpoint["url"]) and bool({"*", type} & set(endpoint["enabled_events"]))
    cause = CAUSE.get()
    data: dict[str, Any] = {"object": rendered(about)}
    if previous:
        data["previous_attributes"] = previous
    event = {
        "id": new_id("evt_1"),
        "object": "event",
        "account": None,
        "api_version": API_VERSION,
        "context": None,
        "created": stand_in.now(),
        "data": data,
        "livemode": False,
        "pending_webhooks": 1 if enabled else 0,
        "request": {"id": cause.request_id, "idempotency_key": cause.idempotency_key},
        "type": type,
    }
    stand_in.state.add(event)
    if enabled:
        _plan_deliveries(stand_in, event, endpoint["url"])
        stand_in.something_happened.set()


def _plan_deliveries(stand_in: StandIn, event: Body, url: str) -> None:
    knobs, now = stand_in.board.knobs, stand_in.instant()
    due_at = now + knobs.webhook_delay_s
    if knobs.webhook_reorder_s:  # all of one span fall due at its end, and the newest has the first turn
        due_at = math.ceil(due_at / knobs.webhook_reorder_s) * knobs.webhook_reorder_s
    newest = stand_in.state.rows("SELECT coalesce(max(id), 0) AS id FROM deliveries")[0]["id"]
    for copy in range(knobs.webhook_copies):
        stand_in.state.rows(
            "INSERT INTO deliveries (event, type, url, state, created_at, due_at, turn) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                event["id"],
                event["type"],
                url,
                "waiting" if knobs.webhooks == "send" else "withheld",
                now,
                due_at,
                -(newest + copy) if knobs.webhook_reorder_s else newest + copy,
            ),
        )
