"""What an order's page tells of disputes: the steps, and what somebody must do. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from boxoffice.disputes.dashboard import dashboard_page
from boxoffice.disputes.standing import INQUIRIES, KEPT, LOST, OPEN, WAITING_FOR_US
from boxoffice.models import Dispute, DisputeStep, Refund
from boxoffice.support.story.facts import Facts
from inventory.money import Money

_MOODS = {**dict.fromkeys((*OPEN, *INQUIRIES), "open"), **dict.fromkeys(LOST, "bad"), **dict.fromkeys(KEPT, "good")}


@dataclass(frozen=True)
class ToldStep:
    """One step of a dispute, as the timeline tells it."""

    at: datetime
    title: str
    state: str
    mood: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class OpenMatter:
    """A dispute that concerns somebody: what it is, what to do, and its page at the provider.

    needs_a_human: it waits for our answer. is_lost: its seats can be sold again.
    """

    what: str
    advice: str
    link: str
    needs_a_human: bool
    is_lost: bool


def dispute_steps(facts: Facts) -> Iterator[ToldStep]:
    """Each step of each dispute, oldest first; the first of each stands where the dispute was opened."""
    for dispute in facts.disputes:
        for number, step in enumerate(sorted(dispute.steps.all(), key=lambda step: step.pk)):
            yield ToldStep(
                at=step.at if number else min(dispute.opened_at, step.at),
                title=(_("Inquiry about %(amount)s") if step.status in INQUIRIES else _("Dispute of %(amount)s"))
                % {"amount": dispute.money},
                state=str(step.get_status_display()),
                mood=_MOODS.get(Dispute.Status(step.status), "good"),
                notes=_notes(dispute, step, is_first=not number),
            )


def open_matters(facts: Facts) -> Iterator[OpenMatter]:
    """What stands on top of the order's page."""

    def told(instant: datetime) -> str:
        pattern = pgettext("date and time to the minute, in Django's date format", "D j M Y, H:i")
        return dateformat.format(instant.astimezone(facts.order.show.venue.zone), pattern)

    for dispute in facts.disputes:
        matter = what_is_disputed(dispute, told=told, is_given_back=_is_given_back(facts, dispute))
        if matter is not None:
            yield matter


def _is_given_back(facts: Facts, dispute: Dispute) -> bool:
    paid = sum(payment.amount for payment in facts.payments if payment.pk == dispute.payment_id)
    done = (each for each in facts.refunds if each.status == Refund.Status.SUCCEEDED)
    return 0 < paid <= sum(each.amount for each in done if each.payment_id == dispute.payment_id)


def instant_in_utc(instant: datetime) -> str:
    """For lists of orders of many venues."""
    pattern = pgettext("date and time to the minute, in Django's date format", "D j M Y, H:i")
    return dateformat.format(instant.astimezone(UTC), pattern) + " UTC"


def what_is_disputed(
    dispute: Dispute, *, told: Callable[[datetime], str] = instant_in_utc, is_given_back: bool = False
) -> OpenMatter | None:
    """What a dispute asks of us, or None where it is over and the money is ours. told: an instant in words.
    is_given_back: all of the payment went back to who paid, which answers an inquiry, and must be told the bank of a
    dispute.
    """
    status = Dispute.Status(dispute.status)
    if status in KEPT:
        return None
    words = {"amount": dispute.money, "reason": reason_in_words(dispute.reason)}
    if status in LOST:
        what, advice = _lost(dispute, words)
    elif status in INQUIRIES:
        what = _("The bank of who paid asks about the payment of %(amount)s: %(reason)s.") % words
        if is_given_back:
            advice = _("All of it was given back, which ends the matter. Nothing to do.")
            return OpenMatter(what, advice, dashboard_page(provider_id=dispute.provider_id), False, False)
        advice = _("Nothing was taken yet. To give the money back ends the matter, too.")
    elif is_given_back:
        what = _("The payment of %(amount)s is disputed: %(reason)s.") % words
        advice = _("All of it was given back before: show the bank that refund, or the money goes back twice.")
    else:
        what = _("The payment of %(amount)s is disputed: %(reason)s.") % words
        advice = _("Until the bank has decided, which takes weeks, none of it can be refunded.")
    waits = status in WAITING_FOR_US
    if waits and dispute.evidence_due_at is not None:
        due = _("Answer on the payment provider's page by %(instant)s, or it is lost.")
        advice = f"{due % {'instant': told(dispute.evidence_due_at)}} {advice}"
    elif waits:
        advice = f"{_('Answer on the payment provider’s page, or it is lost.')} {advice}"
    return OpenMatter(what, advice, dashboard_page(provider_id=dispute.provider_id), waits, status in LOST)


def _lost(dispute: Dispute, words: dict[str, object]) -> tuple[str, str]:
    if dispute.status == Dispute.Status.PREVENTED:
        what = _("The bank has given %(amount)s back to who paid: %(reason)s.") % words
    else:
        what = _("The dispute of %(amount)s is lost: %(reason)s. Who paid has the money back from the bank.") % words
    if dispute.fee:
        what += " " + _("The provider charged %(fee)s for it.") % {"fee": Money(dispute.fee, dispute.currency)}
    return what, _("Refund nothing of it: the money would go back twice.")


def _notes(dispute: Dispute, step: DisputeStep, *, is_first: bool) -> tuple[str, ...]:
    notes = []
    if is_first:
        notes.append(_("The bank's reason: %(reason)s.") % {"reason": reason_in_words(dispute.reason)})
        notes.append(_("At the provider: %(id)s") % {"id": dispute.provider_id})
    if step.withdrawn:
        money = {"amount": Money(step.withdrawn, dispute.currency)}
        notes.append(_("The provider has taken %(amount)s from our balance.") % money)
    elif step.status == Dispute.Status.WON:
        notes.append(_("The provider has put the money back."))
    if step.tickets == DisputeStep.Tickets.VOID:
        notes.append(_("The tickets are void from here on."))
    elif step.tickets == DisputeStep.Tickets.VALID:
        notes.append(_("The tickets are good again, the same ones."))
    return tuple(notes)


def reason_in_words(reason: str) -> str:
    """What who paid has told his bank; as the provider words it, where it is none of the common ones."""
    return {
        "fraudulent": _("the cardholder says that somebody else paid it"),
        "unrecognized": _("the cardholder does not know the payment"),
        "duplicate": _("the cardholder says that it was paid twice"),
        "product_not_received": _("the cardholder says that no tickets came"),
        "product_unacceptable": _("the cardholder says that it was not what was bought"),
        "credit_not_processed": _("the cardholder says that money was promised back and did not come"),
        "subscription_canceled": _("the cardholder says that it had been cancelled"),
        "general": _("no reason given"),
        "": _("no reason given"),
    }.get(reason, reason.replace("_", " "))
