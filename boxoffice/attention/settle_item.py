"""Saying that an item is settled though its cause stays: the fan has rung, the money went another way."""

from __future__ import annotations

import structlog
from django.db import transaction

from boxoffice.attention import transitions
from boxoffice.attention.errors import ItemGone, MendTheCause
from boxoffice.attention.find_items import Item, find_item
from boxoffice.attention.kinds import Kind
from boxoffice.models import AttentionAction
from jobs.audit import require_reason

log = structlog.get_logger(__name__)


def settle_item(*, kind: Kind, key: str, by: str, reason: str) -> Item:
    """Settle it, whoever has it. One transaction, with its entry in the trail.

    Raises ReasonMissing, MendTheCause for a kind that is settled by mending it alone, and ItemGone when its cause is
    gone or somebody was first.
    """
    require_reason(by=by, reason=reason)
    if not kind.can_settle:
        raise MendTheCause
    item = find_item(kind=kind, key=key)
    if item is None:
        raise ItemGone
    with transaction.atomic():
        if kind.name == "asked" and not transitions.close_asked(asked_id=int(key)):
            raise ItemGone
        why = reason.strip()[:300]
        if not transitions.settle(kind=kind.name, key=key, since=item.since, by=by, reason=why):
            raise ItemGone
        action = AttentionAction.Action.SETTLE
        transitions.write_down(kind=kind.name, key=key, action=action, by=by, reason=why)
    log.info("attention_settled", kind=kind.name, by=by)
    return item
