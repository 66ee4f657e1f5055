"""What can be done about a finding: what was suggested first. It comes with its payment, and asks nothing else."""

from __future__ import annotations

from boxoffice.models import Finding
from boxoffice.payments.transitions import OPEN

Action, Kind = Finding.Action, Finding.Kind

_ASKED_AGAIN = (Kind.ONLY_THERE, Kind.REFUNDED_THERE, Kind.REFUNDED_HERE, Kind.PENDING)


def offered(finding: Finding) -> list[Finding.Action]:
    """The suggestion, and what else is possible; that it is written off always is. Empty for one that is resolved."""
    if not finding.is_open:
        return []
    suggested = Action(finding.suggestion)
    possible = {Action.WRITE_OFF}
    is_open_here = finding.payment is not None and finding.payment.status in OPEN
    if finding.kind in _ASKED_AGAIN and (finding.refund_id or is_open_here):
        possible.add(Action.CONFIRM)
    came = finding.kind in (Kind.ONLY_THERE, Kind.PAID_TWICE, Kind.OTHER_AMOUNT) and finding.amount > 0
    # What came in another currency cannot be given back in that of the payment.
    is_alike = finding.payment is not None and finding.payment.currency == finding.currency
    goes_back = is_alike or finding.kind == Kind.ONLY_THERE
    if came and goes_back and finding.payment_id and not finding.refund_id and not is_open_here:
        possible.add(Action.REFUND)
    has_transaction = finding.transaction is not None
    if finding.kind == Kind.ONLY_THERE and has_transaction and not finding.payment_id and finding.amount > 0:
        possible.add(Action.ATTACH)
    if finding.kind == Kind.REFUNDED_THERE and has_transaction and is_alike and not finding.refund_id:
        possible.add(Action.ATTACH)
    order = [suggested, *(action for action in Action if action != suggested)]
    return [action for action in order if action in possible]
