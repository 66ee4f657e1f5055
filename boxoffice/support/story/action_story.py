"""What an order's story tells of staff: what they did to it, whatever table keeps it, with who, when and why. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from boxoffice.changes.sell_by_staff import PaidBy
from boxoffice.models import HoldAction, OrderAction
from boxoffice.self_help.by_fan import in_words
from boxoffice.support.story.facts import Facts
from boxoffice.support.story.plain_words import name_of_job
from inventory.money import Money

AT_ONCE = timedelta(seconds=2)
"""One press of a button commits as a whole; from its first statement to its last it takes less than this."""

_CAUSED = frozenset(
    {
        "tickets.renew_document",
        "tickets.issue_tickets",
        "boxoffice.send_refund",
        "boxoffice.send_mass_refund",
        "boxoffice.send_message",
    }
)

Did = OrderAction.Action


@dataclass(frozen=True)
class StaffStep:
    """One thing that somebody did by hand."""

    at: datetime
    title: str
    state: str
    mood: str
    notes: tuple[str, ...] = ()


def staff_steps(facts: Facts) -> Iterator[StaffStep]:
    """All of them, of each kind in its order: changes of the order, notes, of its hold, and of its jobs."""
    for action in facts.actions:
        title, notes = _told(action, facts)
        yield StaffStep(_began(action, facts), title, _("done"), "good", (*notes, _who(action.by, action.reason)))
    for note in facts.notes:
        title = _("Note by %(by)s") % {"by": note.by}
        yield StaffStep(note.at, title, pgettext("kind of entry", "note"), "plain", (note.text,))
    for on_hold in facts.hold_actions:
        yield StaffStep(on_hold.at, *_told_of_hold(on_hold, facts))
    names = {job.pk: name_of_job(job.task) for job in facts.jobs}
    for on_job in facts.job_actions:
        title = _("“%(job)s” %(did)s by hand") % {
            "job": names.get(on_job.job_id or 0, ""),
            "did": on_job.get_action_display(),
        }
        yield StaffStep(on_job.at, title, _("done"), "good", (_who(on_job.by, on_job.reason),))


def _who(by: str, reason: str) -> str:
    by, reason = in_words(by=by, reason=reason)
    return _("By %(by)s: %(reason)s") % {"by": by, "reason": reason}


def _told(action: OrderAction, facts: Facts) -> tuple[str, Sequence[str]]:
    """The title, and what the change was."""
    details: dict[str, Any] = action.details
    seats = [line.seat.label or line.tier_name for line in facts.lines if line.pk in set(action.line_ids)]
    given_back = ngettext("%(n)d seat given back", "%(n)d seats given back", len(seats)) % {"n": len(seats)}
    match action.action:
        case Did.REFUND:
            return given_back, ["; ".join(seats)]
        case Did.CANCEL:
            return _("Order cancelled by hand"), [f"{given_back}: {'; '.join(seats)}"] if seats else []
        case Did.TRY_AGAIN:
            return _("Refund tried again by hand"), ["; ".join(seats)]
        case Did.PAID_OUT:
            return _("Refund paid out by hand"), ["; ".join(seats)]
        case Did.NAME:
            words = _("From %(earlier)s to %(now)s.")
            return _("Name corrected"), [words % {"earlier": details.get("from", ""), "now": details.get("to", "")}]
        case Did.RENDER:
            return _("Tickets made anew by hand"), []
        case Did.MOVE:
            pairs = zip(details.get("from", ()), details.get("to", ()), strict=False)
            return _("Moved to other seats"), ["; ".join(f"{old} → {new}" for old, new in pairs)]
        case Did.SALE:
            return _sale(details, facts)
        case Did.SHOW_CANCELLED:
            return _("Show cancelled"), [f"{given_back}: {'; '.join(seats)}"] if seats else []
        case Did.WRITE_OFF:
            return _("Money written off"), _sums(details)
        case Did.UNDO_WRITE_OFF:
            return _("Write-off taken back"), _sums(details)
    return str(action.get_action_display()), []


def _sums(details: dict[str, Any]) -> list[str]:
    return [str(Money(int(amount), currency)) for currency, amount in details.get("sums", {}).items()]


def _sale(details: dict[str, Any], facts: Facts) -> tuple[str, Sequence[str]]:
    if facts.order.complimentary:
        worth = Money(int(details.get("worth", 0)), facts.order.currency)
        return _("Complimentary tickets given away"), [_("They are worth %(amount)s.") % {"amount": worth}]
    paid_by = details.get("paid_by")
    paid = [_("Paid by: %(method)s.") % {"method": PaidBy(paid_by).label}] if paid_by in PaidBy.values else []
    return _("Sold by staff"), paid


def _told_of_hold(action: HoldAction, facts: Facts) -> tuple[str, str, str, tuple[str, ...]]:
    by = _who(action.by, action.reason)
    if action.action == HoldAction.Action.RELEASE:
        return _("Hold ended by hand"), _("done"), "good", (by,)
    pattern = pgettext("date and time to the second, in Django's date format", "D j M Y, H:i:s")
    until = dateformat.format(action.ends_at.astimezone(facts.order.show.venue.zone), pattern)
    return _("Hold extended by hand"), _("done"), "good", (_("Held until %(instant)s.") % {"instant": until}, by)


def _began(action: OrderAction, facts: Facts) -> datetime:
    """When the first of what it caused was written down: its own row is the last, and a cause stands before all."""
    after = max((a.at for a in facts.actions if a.pk < action.pk), default=action.at - AT_ONCE)
    caused = [refund.created_at for refund in facts.refunds if refund.pk == action.refund_id]
    caused += [job.created_at for job in facts.jobs if job.task in _CAUSED]
    return min(at for at in (action.at, *caused) if max(after, action.at - AT_ONCE) < at <= action.at)
