"""Writing down who changed a show, and why, in the transaction of the change."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connection
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from boxoffice.models import ShowAction
from inventory.venue_time import in_venue_time
from jobs.audit import signed
from jobs.errors import NotInTransaction

LONGEST_WHAT = 200
"""Characters of the seats that a line of the trail names; the rest stays in its row."""


def write_show_action(
    *, show_id: int, action: ShowAction.Action, by: str, reason: str, details: Mapping[str, Any]
) -> ShowAction:
    """Add one entry. details: what the change was, as JSON can hold it.

    Raises NotInTransaction outside a transaction, and ReasonMissing.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Write the trail in the transaction of the change that it tells of.")
    return ShowAction.objects.create(
        show_id=show_id,
        action=action,
        details=dict(details),
        **signed(by=by, reason=reason),
    )


def what_was_done(action: ShowAction, *, zone: ZoneInfo) -> str:
    """What the entry changed, in words of the active language: seats, places, or from when to when. Empty if unknown.

    zone: of the venue, whose time is told.
    """
    details = action.details
    told = []
    if "from" in details and "to" in details:
        was, now = (in_venue_time(instant=datetime.fromisoformat(details[name]), zone=zone) for name in ("from", "to"))
        told.append(_("from %(was)s to %(now)s") % {"was": was, "now": now})
    if "refund_until" in details:
        until = in_venue_time(instant=datetime.fromisoformat(details["refund_until"]), zone=zone)
        told.append(_("money back on request until %(until)s") % {"until": until})
    if told:
        return "; ".join(told)
    if "area" in details:
        return f"{details['places']} × {details['area']}"
    return Truncator("; ".join(details.get("seats", ()))).chars(LONGEST_WHAT)
