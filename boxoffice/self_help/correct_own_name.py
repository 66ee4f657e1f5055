"""Putting a slip in the name right, by whoever has the order's page."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from boxoffice.changes.correct_name import CorrectedName, correct_name
from boxoffice.contact import clean_name
from boxoffice.errors import InvalidContact, OrderNotFound
from boxoffice.models import Order, OrderAction
from boxoffice.self_help.by_fan import BY_FAN, NAME_CORRECTED
from boxoffice.self_help.errors import NameCorrectedOften, TooLateForName
from boxoffice.self_help.send_tickets import HAS_TICKETS
from boxoffice.self_help.slip import is_slip
from inventory.models import Show
from jobs.clock import database_now

MOST = 2
"""Times for an order: who slips while he puts a slip right has another go."""


def correct_own_name(*, order_id: int, name: str) -> CorrectedName | None:
    """Let order and tickets bear ``name``, mail the new file, and write it in the trail; None where the fan has had
    this very name put there already. One transaction.

    A slip is measured from the name that he did not choose himself, so that two corrections lead no further than one.

    Raises InvalidContact (field ``name``: no name, or more than a slip), OrderNotFound, TooLateForName,
    NameCorrectedOften, and NameUnchanged.
    """
    cleaned = clean_name(name)
    with transaction.atomic():
        orders = Order.objects.select_for_update(of=("self",), no_key=True).select_related("show__venue")
        order = orders.filter(pk=order_id).first()
        if order is None:
            raise OrderNotFound
        before = list(OrderAction.objects.filter(order=order, action=OrderAction.Action.NAME).order_by("pk"))
        own = [action for action in before if action.by == BY_FAN]
        if own and before[-1] is own[-1] and order.name == cleaned == own[-1].details.get("to"):
            return None
        if not can_correct(order):
            raise TooLateForName
        if len(own) >= MOST:
            raise NameCorrectedOften
        if not is_slip(earlier=_not_his_own(order, before), now=cleaned):
            raise InvalidContact({"name": _("This is more than a slip, so we look at it ourselves: write to us.")})
        return correct_name(order_id=order.pk, name=cleaned, by=BY_FAN, reason=NAME_CORRECTED, send=True)


def can_correct(order: Order) -> bool:
    """Whether the order has tickets, and the day of its show, by the venue's calendar, has not come. With its show."""
    show = order.show
    if order.status not in HAS_TICKETS or show.status not in (Show.Status.SCHEDULED, Show.Status.POSTPONED):
        return False
    zone = show.venue.zone
    return database_now().astimezone(zone).date() < show.starts_at.astimezone(zone).date()


def _not_his_own(order: Order, actions: Sequence[OrderAction]) -> str:
    """The name that the order had before the fan's corrections since staff last wrote it."""
    name = order.name
    for action in reversed(actions):
        if action.by != BY_FAN:
            break
        name = str(action.details.get("from") or name)
    return name
