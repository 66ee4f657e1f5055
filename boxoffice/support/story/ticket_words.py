"""How a ticket stands, in words for the telephone: whether it is good, or who let somebody in with it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tickets.door_answer import ADMITTING
from tickets.models import Scan, Ticket

if TYPE_CHECKING:
    from boxoffice.support.story.facts import Facts

Status = Ticket.Status


@dataclass(frozen=True)
class ToldTicket:
    """A ticket, and how it stands in a sentence or two."""

    ticket: Ticket
    words: str


def told_tickets(facts: Facts) -> Iterator[ToldTicket]:
    """All of the order's, in the order of the house."""
    for ticket in facts.tickets:
        scans = [scan for scan in facts.scans if scan.ticket_id == ticket.pk]
        yield ToldTicket(ticket, how_it_stands(ticket, scans=scans, void_since=_void_since(ticket, facts)))


def how_it_stands(ticket: Ticket, *, scans: Sequence[Scan], void_since: datetime | None = None) -> str:
    """In sentences. scans: those of this ticket, the oldest first. The ticket comes with its show and venue."""
    if ticket.status == Status.USED:
        return _who_is_in(ticket, scans)
    if ticket.status == Status.VOID:
        words = {"reason": _(ticket.void_reason), "when": _when(void_since, ticket) if void_since else ""}
        return (_("Void since %(when)s: %(reason)s.") if void_since else _("Void: %(reason)s.")) % words
    if ticket.status == Status.ISSUED:
        last = scans[-1] if scans else None
        if last is not None and last.result == Scan.Result.UNDONE:
            return _("Good again: its admission was undone %(when)s, %(door)s, by %(person)s.") % _where(last, ticket)
        return _("Good: nobody has come in with it.")
    if ticket.status == Status.FAILED:
        return _("It could not be made. The seat is the fan’s all the same.")
    return _("It is being made. The seat is the fan’s already.")


def _who_is_in(ticket: Ticket, scans: Sequence[Scan]) -> str:
    nth = next((n for n in range(len(scans) - 1, -1, -1) if scans[n].result in ADMITTING), None)
    if nth is None:
        return _("Somebody is in with it. When and where is not kept any more.")
    admission = scans[nth]
    words = _("In since %(when)s, %(door)s, by %(person)s.") % _where(admission, ticket)
    if admission.reason:
        words += " " + _("By hand: %(reason)s.") % {"reason": admission.reason.rstrip(".")}
    again = [scan for scan in scans[nth + 1 :] if scan.result == Scan.Result.AGAIN]
    if not again:
        return words
    told = ngettext(
        "Shown once more and turned away: %(when)s, %(door)s.",
        "Shown %(n)d times more and turned away, the last time %(when)s, %(door)s.",
        len(again),
    )
    return f"{words} {told % {'n': len(again), **_where(again[-1], ticket)}}"


def _where(scan: Scan, ticket: Ticket) -> dict[str, str]:
    return {"when": _when(scan.at, ticket), "door": scan.door, "person": scan.by}


def _when(instant: datetime, ticket: Ticket) -> str:
    pattern = pgettext("date and time to the minute, in Django's date format", "D j M Y, H:i")
    return dateformat.format(instant.astimezone(ticket.show.venue.zone), pattern)


def _void_since(ticket: Ticket, facts: Facts) -> datetime | None:
    """When its seat was given back, or left for another one."""
    if ticket.status != Status.VOID:
        return None
    given_back = [line.refunded_at for line in facts.lines if line.seat_id == ticket.seat_id and line.refunded_at]
    moved = [
        action.at
        for action in facts.actions
        if action.action == "move" and ticket.seat.label in action.details.get("from", ())
    ]
    return max([*given_back, *moved], default=None)
