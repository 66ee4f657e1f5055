"""Taking an item, so that nobody else begins with it, and giving it back."""

from __future__ import annotations

import structlog
from django.db import transaction

from boxoffice.attention import transitions
from boxoffice.attention.errors import ItemGone, ItemTaken, NotYours
from boxoffice.attention.find_items import Item, find_item
from boxoffice.attention.kinds import Kind
from boxoffice.models import AttentionAction

log = structlog.get_logger(__name__)


def take_item(*, kind: Kind, key: str, by: str, from_owner: str = "") -> Item:
    """Make ``by`` the owner. One transaction, with its entry in the trail.

    from_owner: from whom it is taken over, as the page showed it; empty for nobody.
    Raises ItemGone when its cause is gone or it was settled, and ItemTaken when somebody else has it. Taking what one
    has already changes nothing.
    """
    item = find_item(kind=kind, key=key)
    if item is None:
        raise ItemGone
    if item.owner == by:
        return item
    with transaction.atomic():
        if not transitions.take(kind=kind.name, key=key, since=item.since, by=by, from_owner=from_owner):
            raise ItemTaken(by=item.owner)
        transitions.write_down(kind=kind.name, key=key, action=AttentionAction.Action.TAKE, by=by)
    log.info("attention_taken", kind=kind.name, by=by)
    return item


def give_item_back(*, kind: Kind, key: str, by: str) -> None:
    """Nobody has it any more. One transaction. Raises NotYours when somebody else, or nobody, has it."""
    with transaction.atomic():
        if not transitions.give_back(kind=kind.name, key=key, by=by):
            raise NotYours
        transitions.write_down(kind=kind.name, key=key, action=AttentionAction.Action.GIVE_BACK, by=by)
    log.info("attention_given_back", kind=kind.name, by=by)
