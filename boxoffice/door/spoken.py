"""The door's answers in words. Pure: what fills the screen, for each result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from boxoffice.own_direction import isolated
from inventory.models import Show
from inventory.venue_time import in_venue_time
from tickets.door_answer import DoorAnswer
from tickets.models import Scan, Ticket

Result = Scan.Result


@dataclass(frozen=True)
class Spoken:
    """What a person at the door reads.

    tone: ``good``, ``bad`` or ``caution``; mark and word say the same without colour. facts: what to know, above all
    when and where somebody is in already. advice: what to do, or nothing. ticket: the one that it is about.
    """

    result: str
    tone: str
    mark: str
    word: str
    facts: list[str]
    advice: str
    ticket: Ticket | None = None


# Tone, mark, word and what to do.
_WORDS = {
    Result.ADMITTED: ("good", "✓", gettext_lazy("Come in"), ""),
    Result.BY_HAND: ("good", "✓", gettext_lazy("Come in"), gettext_lazy("Admitted by hand.")),
    Result.UNDONE: ("caution", "↶", gettext_lazy("Undone"), gettext_lazy("The ticket lets somebody in again.")),
    Result.AGAIN: (
        "bad",
        "2×",
        gettext_lazy("In already"),
        gettext_lazy("Send this person to the box office, or undo the first admission."),
    ),
    Result.REFUNDED: (
        "bad",
        "↩",
        gettext_lazy("Refunded"),
        gettext_lazy("The money was paid back. Send this person to the box office."),
    ),
    Result.VOID: ("bad", "⊘", gettext_lazy("Void"), gettext_lazy("Send this person to the box office.")),
    Result.FORGED: (
        "bad",
        "✕",
        gettext_lazy("Not our ticket"),
        gettext_lazy("It does not bear our signature: it is forged, or no ticket at all. Do not let this person in."),
    ),
    Result.WRONG_SHOW: (
        "caution",
        "↪",
        gettext_lazy("Another show"),
        gettext_lazy("Send this person to the right door or day."),
    ),
    Result.UNKNOWN: (
        "caution",
        "?",
        gettext_lazy("Not known"),
        gettext_lazy("No ticket has this code. Look at its eight characters again, or ask the box office."),
    ),
    Result.PENDING: (
        "caution",
        "!",
        gettext_lazy("Not issued yet"),
        gettext_lazy("It is paid for. Scan it again in a moment, or admit this person by hand."),
    ),
    Result.FAILED: (
        "caution",
        "!",
        gettext_lazy("Not issued"),
        gettext_lazy("It is paid for and could not be printed. Look at the name and admit this person by hand."),
    ),
    Result.POSTPONED: (
        "bad",
        "✕",
        gettext_lazy("Show postponed"),
        gettext_lazy("Nobody is let in. The ticket stays good for the new date."),
    ),
    Result.CANCELLED: (
        "bad",
        "✕",
        gettext_lazy("Show cancelled"),
        gettext_lazy("Nobody is let in. Send this person to the box office."),
    ),
}


def spoken(answer: DoorAnswer) -> Spoken:
    """The answer in words of the active language."""
    tone, mark, word, advice = _WORDS[answer.result]
    return Spoken(
        result=str(answer.result),
        tone=tone,
        mark=mark,
        word=str(word),
        facts=list(_facts(answer)),
        advice=str(advice),
        ticket=answer.ticket,
    )


def mark_of(result: str) -> tuple[str, str]:
    """Tone and mark of a result, the same in the list as on the whole screen."""
    tone, mark, _word, _advice = _WORDS[Result(result)]
    return tone, mark


def refused(words: str) -> Spoken:
    """A request that was not done, and why."""
    return Spoken(result="refused", tone="caution", mark="!", word=_("Not done"), facts=[], advice=words)


def _facts(answer: DoorAnswer) -> Iterator[str]:
    ticket, earlier = answer.ticket, answer.earlier
    if answer.result is Result.ADMITTED and not answer.proven:
        yield _("The code was typed, and nothing proves that the ticket is here: ask for the name.")
    if ticket and earlier:
        time = _moment(earlier.at, answer.at, ticket)
        said = {"time": time, "door": isolated(earlier.door), "person": isolated(earlier.by)}
        yield _("Admitted %(time)s at “%(door)s” by %(person)s.") % said
        if earlier.reason:
            yield _("By hand: %(reason)s") % {"reason": isolated(earlier.reason)}
    if ticket and answer.result is Result.VOID:
        yield _("Reason: %(reason)s.") % {"reason": isolated(_(ticket.void_reason).rstrip("."))}
    if ticket and answer.result is Result.WRONG_SHOW:
        yield from _other_show(ticket.show)
    elif ticket and answer.is_of_another_show:
        yield _("It was for another show: %(show)s.") % {"show": isolated(ticket.show.title)}


def _other_show(show: Show) -> Iterator[str]:
    yield isolated(show.title)
    yield in_venue_time(instant=show.starts_at, zone=show.venue.zone)
    yield f"{isolated(show.venue.name)}, {isolated(show.venue.city)}"
    if show.status in (Show.Status.POSTPONED, Show.Status.CANCELLED):
        yield _("That show is %(status)s.") % {"status": show.get_status_display()}


def _moment(instant: datetime, now: datetime, ticket: Ticket) -> str:
    """To the second in the venue's time; with the day where it was another."""
    zone = ticket.show.venue.zone
    local = instant.astimezone(zone)
    if local.date() == now.astimezone(zone).date():
        pattern = pgettext("at a time of today, in Django's date format", r"\a\t H:i:s")
    else:
        pattern = pgettext("on another day, in Django's date format", r"\o\n j M \a\t H:i:s")
    return dateformat.format(local, pattern)
