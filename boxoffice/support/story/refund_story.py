"""What an order's page at the support desk tells of refunds: the steps, and what is wrong. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.models import OrderAction, Refund
from boxoffice.support.story.facts import Facts

PENDING_TOO_LONG = timedelta(days=7)
"""A week: the provider waits for our balance, which somebody must top up."""

AT_ONCE = timedelta(seconds=2)
"""One press of a button commits as a whole; from its first statement to its last it takes less than this."""

_JOBS_OF_A_REFUND = frozenset({"tickets.renew_document", "boxoffice.send_refund"})


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
    """A refund with which something is wrong, and what to do. ``can_try``: an attempt that staff may try again."""

    refund: Refund
    what: str
    advice: str
    can_try: bool


def refund_steps(facts: Facts) -> Iterator[RefundStep]:
    """What staff did, and then each attempt."""
    for action in facts.actions:
        yield _by_hand(action, facts)
    for refund in facts.refunds:
        state, mood = _stands(refund)
        yield RefundStep(refund.created_at, _("Refund of %(amount)s") % _words(refund), state, mood, _notes(refund))


def owed_money(facts: Facts) -> Iterator[OwedMoney]:
    """The attempts that failed and have no later one, and those that wait for too long."""
    replaced = {refund.replaces_id for refund in facts.refunds}
    for refund in facts.refunds:
        if refund.status == Refund.Status.FAILED and refund.pk not in replaced:
            what = _("The refund of %(amount)s failed: %(why)s.") % {**_words(refund), "why": _why(refund)}
            yield OwedMoney(refund, what, _ADVICE[Refund.Failure(refund.failure)](), can_try=True)
        elif refund.status == Refund.Status.PENDING and refund.created_at < facts.now - PENDING_TOO_LONG:
            what = _("The refund of %(amount)s has been pending for a week.") % _words(refund)
            yield OwedMoney(refund, what, _("Top up the balance at the payment provider."), can_try=False)


def _began(action: OrderAction, facts: Facts) -> datetime:
    """When the first of what it caused was written down: its own row is the last, and a cause stands before all."""
    after = max((a.at for a in facts.actions if a.pk < action.pk), default=action.at - AT_ONCE)
    caused = [refund.created_at for refund in facts.refunds if refund.pk == action.refund_id]
    caused += [job.created_at for job in facts.jobs if job.task in _JOBS_OF_A_REFUND]
    return min(at for at in (action.at, *caused) if max(after, action.at - AT_ONCE) < at <= action.at)


def _by_hand(action: OrderAction, facts: Facts) -> RefundStep:
    seats = [line.seat.label for line in facts.lines if line.pk in set(action.line_ids)]
    if action.action == OrderAction.Action.REFUND:
        title = ngettext("%(n)d seat given back", "%(n)d seats given back", len(seats)) % {"n": len(seats)}
    else:
        title = _("Refund tried again by hand")
    by = _("By %(by)s: %(reason)s") % {"by": action.by, "reason": action.reason}
    return RefundStep(_began(action, facts), title, _("done"), "good", ("; ".join(seats), by))


def _stands(refund: Refund) -> tuple[str, str]:
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
    said = refund.failure_message or refund.failure_code
    words = str(refund.get_failure_display())
    return f"{words} ({said.rstrip('.')})" if said else words


_ADVICE = {
    Refund.Failure.REFUSED: lambda: _("Mend the cause at the payment provider, then try again."),
    Refund.Failure.UNANSWERED: lambda: _("Nobody knows whether money has moved. Trying again looks first."),
    Refund.Failure.KEY_SPENT: lambda: _("The provider had a fault of its own. Try again."),
    Refund.Failure.RETURNED: lambda: _(
        "The card or account may be closed. Ask the fan for another way to pay, or try again."
    ),
}
