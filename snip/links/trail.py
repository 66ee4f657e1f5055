"""Writing down who did what to a link, in the transaction that does it."""

from __future__ import annotations

from django.db import connection

from jobs.errors import NotInTransaction
from snip.models import LinkAction


def write_link_action(*, link_id: int, action: LinkAction.Action, by: str, what: str) -> None:
    """Add one entry. by: the login. what: from what to what, or why. Raises NotInTransaction outside a transaction."""
    if not connection.in_atomic_block:
        raise NotInTransaction("Write the audit trail in the transaction of the change that it tells of.")
    LinkAction.objects.create(link_id=link_id, action=action, by=by.strip(), what=what.strip())
