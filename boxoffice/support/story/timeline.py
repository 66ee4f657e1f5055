"""An order's story in the order in which it happened. Pure: it reads the facts and touches no database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby

from django.utils import dateformat
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext as _

from boxoffice.models import ShowAction
from boxoffice.self_help.by_fan import in_words
from boxoffice.support.story.action_story import staff_steps
from boxoffice.support.story.dispute_story import dispute_steps
from boxoffice.support.story.facts import Facts
from boxoffice.support.story.payment_story import payment_steps
from boxoffice.support.story.plain_words import (
    address_in_words,
    explain,
    language_in_words,
    name_of_job,
    name_of_mail,
    name_of_message,
    name_of_recipient,
)
from boxoffice.support.story.refund_story import refund_steps
from inventory.models import Hold
from jobs.models import Job
from jobs.selectors import KnownJob
from notifications.models import MessageAction, Notification
from tickets.door_answer import ADMITTING


@dataclass(frozen=True)
class Entry:
    """One thing that happened or is to happen.

    when: the instant in the venue's time, to the millisecond, since much of this happens within one second.
    mood: ``good``, ``open``, ``bad`` or ``plain``; the state says the same in words. job_id: the ledger's row, where
    it is one. can: what staff may have done to that job now, ``dead`` or ``later``; empty for nothing.
    """

    at: datetime
    when: str
    title: str
    state: str
    mood: str
    notes: list[str] = field(default_factory=list)
    job_id: int | None = None
    can: str = ""


def build_timeline(facts: Facts) -> list[Entry]:
    """Everything from the hold on, oldest first; of what happened at one instant the cause before its effects."""
    entries = [
        *_sale(facts),
        *_payments(facts),
        *_staff(facts),
        *_refunds(facts),
        *_disputes(facts),
        *_jobs(facts),
        *_tickets(facts),
        *_mails(facts),
        *_mail_actions(facts),
        *_scans(facts),
        *_show_changes(facts),
    ]
    return sorted(entries, key=lambda entry: entry.at)


def instant_in_words(instant: datetime, facts: Facts) -> str:
    """To the second, in the venue's time: what staff compare with logs and with what a fan says."""
    pattern = pgettext("date and time to the second, in Django's date format", "D j M Y, H:i:s")
    return dateformat.format(instant.astimezone(facts.order.show.venue.zone), pattern)


def _entry(
    facts: Facts, at: datetime, title: str, state: str, mood: str, *notes: str, job_id: int | None = None
) -> Entry:
    when = f"{instant_in_words(at, facts)}.{at.microsecond // 1000:03d}"
    return Entry(at=at, when=when, title=title, state=state, mood=mood, notes=[n for n in notes if n], job_id=job_id)


def _sale(facts: Facts) -> Iterator[Entry]:
    order, hold = facts.order, facts.order.hold
    seats = "; ".join(line.seat.label for line in facts.lines)
    until = _("Held until %(instant)s.") % {"instant": instant_in_words(hold.expires_at, facts)}
    yield _entry(facts, hold.created_at, _("Seats held"), _("done"), "good", seats, until)
    language = _("Language: %s.") % language_in_words(order.language)
    yield _entry(facts, order.placed_at, _("Order placed"), _("done"), "good", language)
    if order.confirmed_at:
        yield _entry(facts, order.confirmed_at, _("Order confirmed"), _("done"), "good", _("The seats are sold."))
    elif facts.hold_has_lapsed:
        yield _entry(facts, hold.expires_at, _("The time to buy ran out"), _("expired"), "bad")
    elif hold.status == Hold.Status.ACTIVE:
        yield _entry(facts, facts.now, _("Waiting for the fan"), _("open"), "open", until)


def _payments(facts: Facts) -> Iterator[Entry]:
    for step in payment_steps(facts):
        yield _entry(facts, step.at, step.title, step.state, step.mood, *step.notes)


def _jobs(facts: Facts) -> Iterator[Entry]:
    for job in facts.jobs:
        title = name_of_job(job.task)
        state, mood = _state_of(job, facts)
        entry = _entry(facts, job.created_at, title, state, mood, *_notes_on(job, facts), job_id=job.pk)
        yield replace(entry, can=what_can_be_done(job, facts))


def what_can_be_done(job: KnownJob, facts: Facts) -> str:
    """``dead``: replayed or discarded; ``later``: let run now."""
    if job.state == Job.State.DEAD and not job.removed:
        return "dead"
    return "later" if job.state == Job.State.WAITING and job.available_at > facts.now else ""


def _state_of(job: KnownJob, facts: Facts) -> tuple[str, str]:
    if job.state == Job.State.WAITING:
        if job.attempts:
            return _("will be tried again"), "open"
        return (_("waits for its time") if job.available_at > facts.now else _("waits for a worker")), "open"
    words = {
        Job.State.PUBLISHED: (_("handed to the workers"), "open"),
        Job.State.RUNNING: (_("running"), "open"),
        Job.State.DONE: (_("done"), "good"),
        Job.State.DEAD: (_("given up"), "bad"),
        Job.State.CANCELLED: (_("cancelled"), "plain"),
    }
    return words[Job.State(job.state)]


def _notes_on(job: KnownJob, facts: Facts) -> Iterator[str]:
    if job.attempts:
        yield ngettext("%(n)d attempt failed.", "%(n)d attempts failed.", job.attempts) % {"n": job.attempts}
    if job.error:
        yield _("Last error: %(words)s") % {"words": explain(job.error)}
    if job.state == Job.State.WAITING and (job.attempts or job.available_at > facts.now):
        yield _("Next attempt: %(instant)s.") % {"instant": instant_in_words(job.available_at, facts)}
    if job.state in (Job.State.DEAD, Job.State.CANCELLED) and job.reason:
        yield _("Reason: %(reason)s.") % {"reason": job.reason}
    if job.generation:
        yield ngettext("Replayed once.", "Replayed %(n)d times.", job.generation) % {"n": job.generation}
    yield from _times_of(job, facts)


def _times_of(job: KnownJob, facts: Facts) -> Iterator[str]:
    if job.started_at is None:
        return
    started = instant_in_words(job.started_at, facts)
    # A job that was cancelled ended when somebody said so, not when its last run did.
    if job.finished_at is None or job.finished_at < job.started_at or job.state == Job.State.CANCELLED:
        yield _("Last started %(instant)s.") % {"instant": started}
    else:
        took = number_format((job.finished_at - job.started_at).total_seconds(), 2)
        yield _("Started %(instant)s, took %(seconds)s s.") % {"instant": started, "seconds": took}


def _tickets(facts: Facts) -> Iterator[Entry]:
    issued = sorted((t for t in facts.tickets if t.issued_at), key=lambda t: (t.issued_at, t.pk))
    for at, group in groupby(issued, key=lambda ticket: ticket.issued_at):
        tickets = list(group)
        title = ngettext("Ticket issued", "%(n)d tickets issued", len(tickets)) % {"n": len(tickets)}
        assert at is not None
        yield _entry(facts, at, title, _("done"), "good", ", ".join(t.printed_code for t in tickets))


def _scans(facts: Facts) -> Iterator[Entry]:
    for scan in facts.scans:
        code = scan.ticket.printed_code if scan.ticket else ""
        title = _("Ticket %(code)s at the door") % {"code": code}
        where = _("%(door)s, by %(person)s") % {"door": scan.door, "person": scan.by}
        mood = "good" if scan.result in ADMITTING else "plain"
        yield _entry(facts, scan.at, title, str(scan.get_result_display()), mood, where, scan.reason)


def _show_changes(facts: Facts) -> Iterator[Entry]:
    for change in facts.show_changes:
        by = _("By %(by)s: %(reason)s") % {"by": change.by, "reason": change.reason}
        title, *words = _show_change(change, facts)
        if until := change.details.get("refund_until"):
            offered = instant_in_words(datetime.fromisoformat(until), facts)
            words.append(_("Money back on request until %(until)s.") % {"until": offered})
        yield _entry(facts, change.at, title, _("done"), "plain", *words, by)


def _show_change(change: ShowAction, facts: Facts) -> list[str]:
    """A title, and what there is to say of it."""
    if change.action == ShowAction.Action.POSTPONE:
        return [_("The show was postponed"), _("It had no new time then.")]
    if change.action == ShowAction.Action.GO_ON:
        return [_("The show was put on sale again"), _("It takes place at the time that it had.")]
    if change.action == ShowAction.Action.OFFER:
        return [_("Money back on request was offered for longer")]
    was, now = (instant_in_words(datetime.fromisoformat(change.details[key]), facts) for key in ("from", "to"))
    return [_("The show was moved to another time"), _("From %(earlier)s to %(now)s.") % {"earlier": was, "now": now}]


def _staff(facts: Facts) -> Iterator[Entry]:
    for step in staff_steps(facts):
        yield _entry(facts, step.at, step.title, step.state, step.mood, *step.notes)


def _refunds(facts: Facts) -> Iterator[Entry]:
    for step in refund_steps(facts):
        yield _entry(facts, step.at, step.title, step.state, step.mood, *step.notes)


def _disputes(facts: Facts) -> Iterator[Entry]:
    for step in dispute_steps(facts):
        yield _entry(facts, step.at, step.title, step.state, step.mood, *step.notes)


def _mails(facts: Facts) -> Iterator[Entry]:
    for mail in facts.mails:
        if mail.sent_at:
            title = _("%(message)s sent") % {"message": name_of_message(mail)}
            mood = "bad" if mail.status in BAD_MAIL else "good"
            yield _entry(facts, mail.sent_at, title, str(mail.get_status_display()), mood, name_of_recipient(mail))
        elif mail.status == Notification.Status.SUPPRESSED:
            title = _("%(message)s planned") % {"message": name_of_message(mail)}
            why = _("Not sent: %(reason)s.") % {"reason": gettext(mail.last_error)} if mail.last_error else ""
            yield _entry(facts, mail.created_at, title, str(mail.get_status_display()), "plain", why)


def _mail_actions(facts: Facts) -> Iterator[Entry]:
    for action in facts.mail_actions:
        who, why = in_words(by=action.by, reason=action.reason)
        by = _("By %(by)s: %(reason)s") % {"by": who, "reason": why}
        if action.action == MessageAction.Action.ADDRESS:
            addresses = {"earlier": action.earlier_recipient, "now": action.recipient}
            moved = _("From %(earlier)s to %(now)s.") % {
                name: address_in_words(address) for name, address in addresses.items()
            }
            yield _entry(facts, action.at, _("Address corrected"), _("done"), "good", moved, by)
        else:
            title = _("%(message)s sent again by hand") % {"message": name_of_mail(action.kind)}
            yield _entry(facts, action.at, title, _("done"), "good", address_in_words(action.recipient), by)


# What was suppressed is not among them: nobody misses a mail that had nothing to say any more.
BAD_MAIL = frozenset({Notification.Status.FAILED, Notification.Status.BOUNCED, Notification.Status.COMPLAINED})
