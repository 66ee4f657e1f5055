"""What an order's page at the support desk tells of refunds: the steps, and what is wrong. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from boxoffice.models import Refund
from boxoffice.refunds.code_words import code_in_words
from boxoffice.refunds.kept_by_bank import among_disputes
from boxoffice.refunds.yield_to_attached import ATTACHED
from boxoffice.support.story.facts import Facts

OF_OUR_BALANCE = ("balance_insufficient", "insufficient_funds")
"""The provider's codes for a refund that it would not, or in the end could not, pay out of our balance."""

PENDING_TOO_LONG = timedelta(days=7)
"""A week: the provider waits for our balance, which somebody must top up."""


@dataclass(frozen=True)
class RefundStep:
    """One thing that happened to a refund, and how it stands."""

    at: datetime
    title: str
    state: str
    mood: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class OwedMoney:
    """A refund with which something is wrong, and what to do. ``can_try``: an attempt that staff may try again.
    ``by_hand``: money that somebody is to pay out.
    """

    refund: Refund
    what: str
    advice: str
    can_try: bool = False
    by_hand: bool = False


def refund_steps(facts: Facts) -> Iterator[RefundStep]:
    """Each attempt."""
    for refund in facts.refunds:
        state, mood = _stands(refund)
        yield RefundStep(refund.created_at, _("Refund of %(amount)s") % _words(refund), state, mood, _notes(refund))


def owed_money(facts: Facts) -> Iterator[OwedMoney]:
    """The attempts that failed, have no later one and were not written off since, those that wait for too long, and
    those that wait for us.
    """
    replaced = {refund.replaces_id for refund in facts.refunds}
    kept = among_disputes(facts.refunds, facts.disputes)
    for refund in facts.refunds:
        owed = what_is_owed(refund, now=facts.now, kept_by_bank=kept.get(refund.pk, ""))
        if owed is not None and refund.pk not in replaced and not _is_written_off(refund):
            yield owed


def what_is_owed(refund: Refund, *, now: datetime, kept_by_bank: str = "") -> OwedMoney | None:
    """What is wrong with an attempt that no later one replaces, or None. The refund comes with its payment.
    kept_by_bank: as ``boxoffice.refunds.kept_by_bank`` has it for this one; a further attempt is in vain then, but of
    one without an answer it looks what became of it.
    """
    if refund.status == Refund.Status.FAILED:
        what = _("The refund of %(amount)s failed: %(why)s.") % {**_words(refund), "why": _why(refund)}
        if kept_by_bank and refund.failure != Refund.Failure.UNANSWERED:
            return OwedMoney(refund, what, _ADVICE_WHEN_DISPUTED[kept_by_bank]())
        return OwedMoney(refund, what, _advice(refund), can_try=True)
    if _waits_for_us(refund):
        words = {**_words(refund), "method": refund.payment.get_method_display()}
        what = _("%(amount)s is to be paid out by hand: it was paid by %(method)s.") % words
        return OwedMoney(refund, what, _("Give the money back, then record it. No job does."), by_hand=True)
    if refund.status == Refund.Status.PENDING and refund.created_at < now - PENDING_TOO_LONG:
        what = _("The refund of %(amount)s has been pending for a week.") % _words(refund)
        return OwedMoney(refund, what, _("Top up the balance at the payment provider."))
    return None


def state_of_refund(refund: Refund) -> str:
    """How it stands, in words."""
    return _stands(refund)[0]


def _is_written_off(refund: Refund) -> bool:
    """Somebody gave this money up since it failed. Not so where it came back later: that is news."""
    if refund.status != Refund.Status.FAILED or refund.settled_at is None:
        return False
    off = getattr(refund.payment, "write_off", None)
    return off is not None and off.at >= refund.settled_at


def _waits_for_us(refund: Refund) -> bool:
    return refund.status == Refund.Status.PLANNED and refund.payment.is_by_hand


def _stands(refund: Refund) -> tuple[str, str]:
    if refund.payment.is_by_hand:
        return (_("is to be paid out by hand"), "open") if _waits_for_us(refund) else (_("was paid out"), "good")
    return {
        Refund.Status.PLANNED: (_("is being sent"), "open"),
        Refund.Status.PENDING: (_("the provider waits for our balance"), "open"),
        Refund.Status.SUCCEEDED: (_("the money has left"), "good"),
        Refund.Status.FAILED: (_("failed"), "bad"),
    }[Refund.Status(refund.status)]


def _notes(refund: Refund) -> tuple[str, ...]:
    notes = [_("Tries refund %(id)s again.") % {"id": refund.replaces_id}] if refund.replaces_id else []
    if refund.failure:
        notes.append(_why(refund) + ".")
    if refund.provider_id:
        notes.append(_("At the provider: %(id)s") % {"id": refund.provider_id})
    return tuple(notes)


def _words(refund: Refund) -> dict[str, str]:
    return {"amount": str(refund.money)}


def _why(refund: Refund) -> str:
    if refund.failure_code == ATTACHED:
        return _("its money was attached by hand before the answer came")
    words = str(refund.get_failure_display())
    if known := code_in_words(refund.failure_code):
        return f"{words}: {known} ({refund.failure_code})"
    said = refund.failure_message or refund.failure_code
    return f"{words} ({said.rstrip('.')})" if said else words


def _advice(refund: Refund) -> str:
    if refund.failure_code in OF_OUR_BALANCE:
        return _("Our balance at the payment provider was too low. Top it up, then try again.")
    return _ADVICE[Refund.Failure(refund.failure)]()


_ADVICE = {
    Refund.Failure.REFUSED: lambda: _("Mend the cause at the payment provider, then try again."),
    Refund.Failure.UNANSWERED: lambda: _("Nobody knows whether money has moved. Trying again looks first."),
    Refund.Failure.KEY_SPENT: lambda: _("The provider had a fault of its own. Try again."),
    Refund.Failure.RETURNED: lambda: _(
        "The card or account may be closed. Ask the fan for another way to pay, or try again."
    ),
}

_ADVICE_WHEN_DISPUTED = {
    "open": lambda: _(
        "The payment is disputed, and the bank has the money while it decides: the provider refuses each attempt. Try "
        "again when the dispute is won."
    ),
    "lost": lambda: _("The dispute was lost: the bank has the money, and the provider refuses each attempt."),
}
