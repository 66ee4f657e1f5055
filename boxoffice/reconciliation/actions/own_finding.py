"""Taking a finding, so that nobody else begins with it, and giving it back."""

from __future__ import annotations

from django.db import transaction

from boxoffice.models import BooksAction, Finding
from boxoffice.reconciliation import transitions
from boxoffice.reconciliation.actions.errors import FindingNotYours, FindingResolved, FindingTaken


def take_finding(*, finding_id: int, by: str, from_owner: str = "") -> None:
    """Make ``by`` the owner. One transaction, with its entry in the trail.

    from_owner: from whom it is taken over, as the page showed it; empty for nobody. Raises FindingTaken, and
    FindingResolved. Taking what one has already changes nothing.
    """
    finding = Finding.objects.get(pk=finding_id)
    if not finding.is_open:
        raise FindingResolved
    if finding.owner == by:
        return
    with transaction.atomic():
        if not transitions.take(finding_id=finding_id, by=by, from_owner=from_owner):
            raise FindingTaken(by=finding.owner)
        BooksAction.objects.create(finding_id=finding_id, action=BooksAction.Action.TAKE, by=by)


def give_finding_back(*, finding_id: int, by: str) -> None:
    """Nobody has it any more. One transaction. Raises FindingNotYours when somebody else, or nobody, has it."""
    with transaction.atomic():
        if not transitions.give_back(finding_id=finding_id, by=by):
            raise FindingNotYours
        BooksAction.objects.create(finding_id=finding_id, action=BooksAction.Action.GIVE_BACK, by=by)
