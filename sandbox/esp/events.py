"""The events of a mail, in the form of Resend's webhooks (resend.com/docs, "Webhooks", "Event Types")."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

_BOUNCES = {
    "bounced": {
        "type": "Permanent",
        "subType": "General",
        "message": "The recipient's email provider sent a hard bounce message, but didn't specify the reason for the "
        "hard bounce.",
    },
    "bounced softly": {
        "type": "Transient",
        "subType": "MailboxFull",
        "message": "The recipient's email provider sent a bounce message because the recipient's inbox was full.",
    },
    "suppressed": {
        "type": "Permanent",
        "subType": "Suppressed",
        "message": "Resend has suppressed sending to this address because it has a recent history of bouncing as an "
        "invalid address.",
    },
}
HAPPENINGS = ("sent", "delivered", "complained", *_BOUNCES)


def event_of(record: dict[str, Any], happening: str) -> dict[str, Any]:
    """The event that tells it. record: as ``take_email`` made it. happening: one of HAPPENINGS."""
    data = dict(record)
    if happening in _BOUNCES:
        data["bounce"] = _BOUNCES[happening]
        happening = "bounced"
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {"type": f"email.{happening}", "created_at": now, "data": data}
