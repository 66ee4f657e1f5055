"""What is wrong with an order, and what to do about it. Pure: it reads the facts and touches no database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.messages.urgency import MAIL_TASKS
from boxoffice.models import Order, Payment
from boxoffice.refunds.transitions import REFUNDABLE
from boxoffice.support.story.callers_facts import SOLD, remarks
from boxoffice.support.story.dispute_story import open_matters
from boxoffice.support.story.facts import OPEN_STATES, Facts, is_overdue
from boxoffice.support.story.last_news import last_news, missed_news_in_words, was_missed
from boxoffice.support.story.late_money import late_money
from boxoffice.support.story.payment_story import may_yet_be_paid, refused_payments
from boxoffice.support.story.plain_words import explain, name_of_job, name_of_message, name_of_recipient
from boxoffice.support.story.refund_story import owed_money
from boxoffice.support.story.timeline import BAD_MAIL, instant_in_words, what_can_be_done
from inventory.models import Show
from jobs.dead.causes import reason_in_words
from jobs.models import Job
from jobs.selectors import KnownJob
from notifications.models import Notification
from notifications.told_again import first_of
from tickets.models import Ticket, VoidReason


@dataclass(frozen=True)
class Problem:
    """What is wrong, and what to do. ``needs_a_human`` is False where it mends itself.

    The rest says what the page offers beside it: the job, and what can be done to it (``Entry.can``); the refund that
    can be tried again, or that is to be paid out; to correct the address; its page at the payment provider; to sell
    the seats again.
    """

    what: str
    advice: str
    needs_a_human: bool = True
    job_id: int | None = None
    can: str = ""
    refund_id: int | None = None
    payout_id: int | None = None
    about_address: bool = False
    about_refund: bool = False
    others: Sequence[Order] = ()
    link: str = ""
    may_release: bool = False


def find_problems(facts: Facts) -> list[Problem]:
    """All that is wrong, what needs a human first."""
    found = [*_disputes(facts), *_refunds(facts), *_jobs(facts), *_tickets(facts), *_mails(facts), *_payments(facts)]
    found += _sale(facts)
    found += [Problem(r.what, r.advice, needs_a_human=False, others=r.others, about_refund=r.about_refund)
              for r in remarks(facts)]  # fmt: skip
    return sorted(found, key=lambda problem: not problem.needs_a_human)


def _disputes(facts: Facts) -> Iterator[Problem]:
    for matter in open_matters(facts):
        yield Problem(
            matter.what,
            matter.advice,
            needs_a_human=matter.needs_a_human,
            link=matter.link,
            may_release=matter.is_lost and facts.order.status in REFUNDABLE,
        )


def _refunds(facts: Facts) -> Iterator[Problem]:
    for owed in owed_money(facts):
        refund_id = owed.refund.pk if owed.can_try else None
        yield Problem(owed.what, owed.advice, refund_id=refund_id, payout_id=owed.refund.pk if owed.by_hand else None)


def _jobs(facts: Facts) -> Iterator[Problem]:
    for job in facts.jobs:
        name = name_of_job(job.task)
        if job.state == Job.State.DEAD:
            what, advice = dead_job_in_words(task=job.task, reason=job.reason, error=job.error)
            yield Problem(what, advice, job_id=job.pk, can=what_can_be_done(job, facts))
        elif job.state in OPEN_STATES and job.attempts:
            yield _tried_again(job, name, facts)
        elif is_overdue(job, facts.now):
            since = instant_in_words(job.available_at, facts)
            yield Problem(
                _("“%(job)s” has been waiting since %(since)s.") % {"job": name, "since": since},
                " ".join([*(facts.obstacles.get(job.pk) or [_("It begins next.")]), _("Nothing is lost meanwhile.")]),
                job_id=job.pk,
            )


def dead_job_in_words(*, task: str, reason: str, error: str) -> tuple[str, str]:
    """What is wrong where a job is dead, and what to do."""
    why = explain(error) or reason_in_words(reason)
    return (
        _("“%(job)s” was given up: %(why)s") % {"job": name_of_job(task), "why": why},
        _("Mend the cause, then have the job replayed. It will not be tried again by itself."),
    )


def _tried_again(job: KnownJob, name: str, facts: Facts) -> Problem:
    what = ngettext("“%(job)s” has failed once: %(why)s", "“%(job)s” has failed %(n)d times: %(why)s", job.attempts) % {
        "job": name,
        "n": job.attempts,
        "why": explain(job.error),
    }
    if job.state == Job.State.WAITING:
        due = instant_in_words(job.available_at, facts)
        advice = _("Nothing to do yet: the next attempt is due on %(instant)s.") % {"instant": due}
    else:
        advice = _("Nothing to do yet: it is being tried again now.")
    return Problem(what, advice, needs_a_human=False, job_id=job.pk, can=what_can_be_done(job, facts))


def _tickets(facts: Facts) -> Iterator[Problem]:
    if facts.order.status not in SOLD:
        return
    live = [ticket for ticket in facts.tickets if ticket.status != Ticket.Status.VOID]
    failed = sum(ticket.status == Ticket.Status.FAILED for ticket in live)
    pending = any(ticket.status == Ticket.Status.PENDING for ticket in live)
    known = len(live) + sum(ticket.void_reason == VoidReason.DISPUTED for ticket in facts.tickets)
    if facts.order.status == Order.Status.CONFIRMED and known < len(facts.lines):
        yield Problem(
            _("The order has %(seats)d seats and %(tickets)d tickets.")
            % {"seats": len(facts.lines), "tickets": len(live)},
            _("Tell an engineer: this should be impossible."),
        )
    if failed and not _has_died(facts, "tickets.issue_tickets"):
        yield Problem(*failed_tickets_in_words(failed))
    if pending and not any(job.state in OPEN_STATES for job in facts.jobs):
        yield Problem(
            _("The tickets are not made yet, and no job is working on them."),
            _("Tell an engineer: the job that makes the tickets has been cancelled or is missing."),
        )


def failed_tickets_in_words(failed: int) -> tuple[str, str]:
    """What is wrong where so many tickets of an order could not be made, and what to do."""
    return (
        ngettext("%(n)d ticket could not be made.", "%(n)d tickets could not be made.", failed) % {"n": failed},
        _("The fan's seats are safe. Replay the job that makes the tickets."),
    )


def late_tickets_in_words(late: int) -> tuple[str, str]:
    """What is wrong where so many tickets of an order take far too long, and what to do."""
    return (
        ngettext("%(n)d ticket is not made yet.", "%(n)d tickets are not made yet.", late) % {"n": late},
        _("The fan's seats are safe. The order's page says what the job that makes the tickets waits for."),
    )


def lost_mail_in_words(mail: Notification) -> tuple[str, str]:
    """What is wrong where a mail did not arrive, and what to do."""
    words = {"message": name_of_message(mail), "address": name_of_recipient(mail)}
    if mail.status == Notification.Status.COMPLAINED:
        return (
            _("%(message)s to %(address)s arrived, and its reader reported it as spam.") % words,
            _("Ask the fan which address to write to. The order's page has the tickets."),
        )
    return (
        _("%(message)s to %(address)s did not arrive: ") % words + str(mail.get_status_display()) + ".",
        _("Check the address with the fan. The order's page has the tickets meanwhile."),
    )


def _mails(facts: Facts) -> Iterator[Problem]:
    news = last_news(facts.mails)
    if news is not None and was_missed(news):
        yield Problem(*missed_news_in_words(news), about_address=True)
    # What was told again since is looked at instead.
    newest = {(mail.channel, mail.kind, first_of(mail.occurrence)): mail.pk for mail in facts.mails}.values()
    for mail in facts.mails:
        if news is not None and mail.pk <= news.pk:
            continue  # what was told before is void, and of the news itself it is said above
        if mail.channel == Notification.Channel.PUSH:
            continue  # the mail says the same, and what engineers can mend is told by the job that died
        if mail.status == Notification.Status.FAILED and any(_has_died(facts, task) for task in MAIL_TASKS):
            continue  # said already, with its cause
        if mail.status in BAD_MAIL and mail.pk in newest:
            yield Problem(*lost_mail_in_words(mail), about_address=True)


def _payments(facts: Facts) -> Iterator[Problem]:
    for what, advice in refused_payments(facts):
        yield Problem(what, advice)
    for late in late_money(facts):
        yield Problem(late.what, late.advice, needs_a_human=late.is_lost)
    if may_yet_be_paid(facts):
        yield Problem(
            _("The time to buy ran out, and a payment may still be under way."),
            _("Nothing to do yet: a job asks the payment provider, and sells the seats or gives the money back."),
            needs_a_human=False,
        )


def _sale(facts: Facts) -> Iterator[Problem]:
    if may_yet_be_paid(facts):
        return
    is_off = facts.order.show.status == Show.Status.CANCELLED
    has_come = any(_has_come(payment) for payment in facts.payments)
    if is_off and facts.order.status in (Order.Status.PENDING_PAYMENT, Order.Status.EXPIRED) and not has_come:
        yield Problem(
            _("The show was cancelled. This order had not been paid, and nothing was charged."),
            _("There is nothing to give back, and no seat of this show can be sold any more."),
            needs_a_human=False,
        )
    elif facts.order.status == Order.Status.PENDING_PAYMENT and facts.hold_has_lapsed:
        yield Problem(
            _("The order was never confirmed, and its seats are on sale again."),
            _("Ask the fan to choose seats again. Nothing was charged."),
            needs_a_human=False,
        )
    elif facts.order.status == Order.Status.EXPIRED and has_come:
        yield Problem(
            _("Money came for this order, and nothing was sold for it: it came too late, or was not the right sum."),
            _("It goes back by itself; below stands whether it has left. The show was cancelled.")
            if is_off
            else _(
                "It goes back by itself; below stands whether it has left. If the fan still wants seats, sell him some."
            ),
            needs_a_human=False,
        )
    elif facts.order.status == Order.Status.EXPIRED:
        yield Problem(
            _("The order was not paid in time, and its seats are on sale again. Nothing was charged."),
            _("Sell the same seats again if they are free, or let the fan choose others."),
            needs_a_human=False,
        )


def _has_come(payment: Payment) -> bool:
    return payment.status == Payment.Status.SUCCEEDED


def _has_died(facts: Facts, task: str) -> bool:
    return any(job.task == task and job.state == Job.State.DEAD for job in facts.jobs)
