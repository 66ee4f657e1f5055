"""A finding in words: what it is, and what either side says. Few queries, however many there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from boxoffice.disputes.standing import OPEN
from boxoffice.models import BalanceTransaction, Dispute, Finding, Payment, Refund
from boxoffice.reconciliation.amounts import in_words
from boxoffice.reconciliation.pages.day_words import CATEGORIES, day_in_words
from inventory.money import Money

Action, Kind = Finding.Action, Finding.Kind


@dataclass(frozen=True)
class FindingRow:
    """A finding in a list. day: in words, as the list of days has it."""

    finding: Finding
    day: str
    amount: str
    order_link: str
    suggestion: str


def finding_rows(findings: Iterable[Finding], *, request: HttpRequest) -> list[FindingRow]:
    """The findings in their order. They come with their order. One query where there are open ones of disputes."""
    sees_orders = request.user.has_perm("boxoffice.view_order")
    findings = list(findings)
    undecided = _undecided(findings)
    return [
        FindingRow(
            finding=finding,
            day=day_in_words(finding.day),
            amount=in_words(finding.amount, finding.currency),
            order_link=reverse("admin:boxoffice_order_change", args=[finding.order_id])
            if finding.order_id and sees_orders
            else "",
            suggestion=_suggestion(finding, undecided) if finding.is_open else "",
        )
        for finding in findings
    ]


def _undecided(findings: Sequence[Finding]) -> set[int]:
    """The payments about whose dispute the bank has not decided, among those of open findings."""
    paid = [each.payment_id for each in findings if each.is_open and each.kind == Kind.DISPUTE and each.payment_id]
    if not paid:
        return set()
    return set(Dispute.objects.filter(payment_id__in=paid, status__in=OPEN).values_list("payment_id", flat=True))


def _suggestion(finding: Finding, undecided: set[int]) -> str:
    if finding.kind == Kind.DISPUTE and finding.payment_id in undecided:
        return _("Wait for the bank")
    return _SUGGESTED[Action(finding.suggestion)]()


def explanation(finding: Finding) -> str:
    """What it means, and what the suggestion would do, in a sentence or two."""
    return _MEANINGS[Kind(finding.kind)]()


def there_facts(finding: Finding) -> list[tuple[str, str]]:
    """What the provider says, line by line; empty where it knows nothing of it."""
    told = finding.transaction
    facts = []
    if finding.there is not None:
        facts.append((_("Amount"), in_words(finding.there, finding.currency)))
    if told is not None:
        facts += _transaction(told)
    return [(label, value) for label, value in facts if value]


def here_facts(finding: Finding) -> list[tuple[str, str]]:
    """What we say, line by line; empty where we know nothing of it."""
    facts = []
    if finding.here is not None:
        facts.append((_("Amount"), in_words(finding.here, finding.here_currency or finding.currency)))
    if finding.payment is not None:
        facts += _payment(finding.payment)
    if finding.refund is not None:
        facts += _refund(finding.refund)
    return [(label, value) for label, value in facts if value]


def disputes_behind(finding: Finding) -> Sequence[Dispute]:
    """The disputes of the payment that the finding is about. One query."""
    if finding.payment_id is None:
        return ()
    return list(Dispute.objects.filter(payment_id=finding.payment_id).order_by("pk"))


def _transaction(told: BalanceTransaction) -> list[tuple[str, str]]:
    category = str(CATEGORIES.get(told.category, told.category.replace("_", " ")))
    return [
        (_("Fee"), in_words(told.fee, told.currency) if told.fee else ""),
        (_("What it is"), category),
        (_("When"), f"{told.created_at:%Y-%m-%d %H:%M:%S} UTC"),
        (_("Transaction"), told.provider_id),
        (_("Object there"), told.source),
        (_("Payment there"), told.intent_id),
        (_("Order named there"), told.order_code),
    ]


def _payment(payment: Payment) -> list[tuple[str, str]]:
    at = payment.settled_at or payment.created_at
    return [
        (_("Payment"), f"{Money(payment.amount, payment.currency)}: {payment.get_status_display()}"),
        (_("When"), f"{at:%Y-%m-%d %H:%M:%S} UTC"),
        (_("Its id at the provider"), payment.intent_id or payment.provider_id),
        (_("Note"), payment.problem),
    ]


def _refund(refund: Refund) -> list[tuple[str, str]]:
    at = refund.settled_at or refund.created_at
    return [
        (_("Refund"), f"{refund.money}: {refund.get_status_display()}"),
        (_("Refund, when"), f"{at:%Y-%m-%d %H:%M:%S} UTC"),
        (_("Refund, id at the provider"), refund.provider_id),
        (_("Reason"), refund.reason),
    ]


def effect_of(finding: Finding, action: Finding.Action) -> str:
    """What doing this does, before it is done."""
    words = {"amount": in_words(abs(finding.amount), finding.currency)}
    if action == Action.CONFIRM and finding.refund_id:
        return _("The provider is asked once more, and what it says of the refund counts here.")
    if action == Action.CONFIRM and finding.order is not None and not finding.order.show.takes_place:
        return _(
            "The provider is asked once more. If it was paid, the money goes back, and a mail says so: the show is "
            "cancelled or over."
        )
    if action == Action.CONFIRM:
        return _(
            "The provider is asked once more. If it was paid, its seats are sold where they are free; otherwise the "
            "money goes back, and a mail says so."
        )
    if action == Action.REFUND:
        return _("%(amount)s goes back, the way it was paid.") % words
    if action == Action.ATTACH and finding.kind == Kind.REFUNDED_THERE:
        return _("It is written down as a refund of this payment. No seat is given back by it.")
    if action == Action.ATTACH:
        return _("It is written down as a payment of an order, which you name by its code.")
    return _("No money moves, and nothing but this finding changes.")


def verb_in_words(action: Finding.Action) -> str:
    """What the button says."""
    return _SUGGESTED[action]()


_SUGGESTED = {
    Action.CONFIRM: lambda: _("Confirm"),
    Action.REFUND: lambda: _("Refund"),
    Action.ATTACH: lambda: _("Attach"),
    Action.WRITE_OFF: lambda: _("Write off"),
}

_MEANINGS = {
    Kind.ONLY_THERE: lambda: _("The provider has this money, and nothing was sold here for it."),
    Kind.ONLY_HERE: lambda: _("We count this money as paid, and the provider has none of it. Look at its page first."),
    Kind.OTHER_AMOUNT: lambda: _("Both sides know it, with different amounts."),
    Kind.OTHER_CURRENCY: lambda: _("Both sides know it, in different currencies."),
    Kind.PAID_TWICE: lambda: _("This was paid more than once."),
    Kind.REFUNDED_THERE: lambda: _("The provider has given this money back, and we do not count it."),
    Kind.REFUNDED_HERE: lambda: _(
        "We count this refund as done, and the provider has not given it back, or has it back from the bank."
    ),
    Kind.DISPUTE: lambda: _(
        "The bank has this money because of a dispute: refund nothing of it. When it is won, this resolves itself; "
        "write it off once it is lost."
    ),
    Kind.FEE: lambda: _("The provider took another fee than the contract says. Ask it why, then write it off."),
    Kind.PENDING: lambda: _("This is still pending after its time."),
}
