"""Idempotency-Key (Stripe API reference, "Idempotent requests"; docs.stripe.com, "Advanced error handling").

The first answer to a key is kept, whatever it is, and given again to the same request for 24 hours. Kept is only what
began to execute: not what fails validation, not 429, not the conflict with a request that is still running.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from sandbox.stripe.errors import ApiError, invalid
from sandbox.stripe.stand_in import StandIn

FORGOTTEN_AFTER = 24 * 3600  # seconds of the stand-in's clock
LONGEST_KEY = 255


@dataclass(frozen=True)
class Kept:
    """An answer that was given before."""

    status: int
    body: str
    request_id: str


def claim(stand_in: StandIn, key: str, *, path: str, pairs: list[tuple[str, str]], request_id: str) -> Kept | None:
    """Make the key ours until ``keep`` or ``release``, or return the answer that it has. Raises ApiError."""
    if len(key) > LONGEST_KEY:
        raise invalid(f"Idempotency keys are up to {LONGEST_KEY} characters long.")
    fingerprint = hashlib.sha256(json.dumps(sorted(pairs)).encode()).hexdigest()
    with stand_in.state.changing():
        now = stand_in.now()
        stand_in.state.rows("DELETE FROM keys WHERE used_at <= ? AND status IS NOT NULL", (now - FORGOTTEN_AFTER,))
        found = stand_in.state.rows("SELECT * FROM keys WHERE key = ?", (key,))
        if not found:
            stand_in.state.rows(
                "INSERT INTO keys (key, path, parameters, used_at, request_id) VALUES (?, ?, ?, ?, ?)",
                (key, path, fingerprint, now, request_id),
            )
            return None
    first = found[0]
    if first["path"] != path:
        raise _misused(
            "Keys for idempotent requests can only be used for the same endpoint they were first used for "
            f"('{path}' vs '{first['path']}'). Try using a key other than '{key}' if you meant to execute a different "
            "request."
        )
    if first["parameters"] != fingerprint:
        raise _misused(
            "Keys for idempotent requests can only be used with the same parameters they were first used with. Try "
            f"using a key other than '{key}' if you meant to execute a different request."
        )
    if first["status"] is None:
        raise ApiError(
            "There is currently another in-progress request using this Idempotent Key (that probably means you "
            f"submitted twice, and the other request is still going through): {key}. Please try again later.",
            status=409,
            type="idempotency_error",
            code="idempotency_key_in_use",
            kept=False,
            headers={"Stripe-Should-Retry": "true"},
        )
    return Kept(first["status"], first["body"], first["request_id"])


def keep(stand_in: StandIn, key: str, *, status: int, body: str) -> None:
    """The answer that this key has from now on."""
    stand_in.state.rows("UPDATE keys SET status = ?, body = ? WHERE key = ?", (status, body, key))


def release(stand_in: StandIn, key: str) -> None:
    """Nothing began to execute: the key is as new."""
    stand_in.state.rows("DELETE FROM keys WHERE key = ? AND status IS NULL", (key,))


def _misused(message: str) -> ApiError:
    return ApiError(message, type="idempotency_error", kept=False)
