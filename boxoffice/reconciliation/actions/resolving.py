"""What all that resolve a finding share: it is resolved once, by somebody, and the trail says so."""

from __future__ import annotations

from django.db import connection

from boxoffice.models import BooksAction, Finding
from boxoffice.reconciliation import transitions
from boxoffice.reconciliation.actions.errors import FindingChanged, FindingResolved, NotOffered
from boxoffice.reconciliation.actions.offered import offered
from jobs.errors import NotInTransaction

_BECOMES = {
    Finding.Action.CONFIRM: Finding.Resolution.CONFIRMED,
    Finding.Action.REFUND: Finding.Resolution.REFUNDED,
    Finding.Action.ATTACH: Finding.Resolution.ATTACHED,
    Finding.Action.WRITE_OFF: Finding.Resolution.WRITTEN_OFF,
}


def find_to(*, action: Finding.Action, finding_id: int) -> Finding:
    """The finding with all that it names, about which this can be done. Raises FindingResolved and NotOffered, and
    Finding.DoesNotExist. One query.
    """
    related = ("transaction", "payment__order", "refund__payment__order", "order")
    finding = Finding.objects.select_related(*related).get(pk=finding_id)
    if not finding.is_open:
        raise FindingResolved
    if action not in offered(finding):
        raise NotOffered
    return finding


def resolve(*, finding: Finding, action: Finding.Action, by: str, reason: str = "") -> None:
    """open → resolved, with its entry in the trail. The first statement of the caller's transaction, which it rolls
    back when somebody was first, or it is told otherwise than ``finding`` was read: raises FindingResolved and
    FindingChanged.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Resolve a finding inside the transaction of what is done about it.")
    if not transitions.resolve(finding=finding, resolution=_BECOMES[action], by=by, reason=reason):
        is_open = Finding.objects.filter(pk=finding.pk, resolution="").exists()
        raise FindingChanged if is_open else FindingResolved
    BooksAction.objects.create(finding=finding, action=BooksAction.Action(action), by=by[:150], reason=reason[:300])
