"""The tickets are there: for those who have closed the page meanwhile."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.errors import NothingToSay, OrderNotFound
from boxoffice.messages.show_times import clock_in_words, day_of
from boxoffice.messages.tickets_ready import GIVEN_BACK, KIND
from boxoffice.models.order import code_of
from boxoffice.order_address import address_of
from boxoffice.own_direction import isolated
from boxoffice.selectors import lines_of_order, order_by_code
from notifications.content import PushContent, Urgency

__all__ = ["KIND", "write"]

TTL_SECONDS = 24 * 3600
"""Whoever was not on line for a day has the mail."""


def write(*, subject: str, occurrence: str) -> PushContent:
    """Two queries. Raises OrderNotFound, and NothingToSay where all was given back."""
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    tickets = lines_of_order(order_id=order.pk).filter(refunded_at__isnull=True).count()
    if not tickets:
        raise NothingToSay(GIVEN_BACK)
    show = order.show
    return PushContent(
        title=ngettext("Your ticket is there", "Your %(count)d tickets are there", tickets) % {"count": tickets},
        body=_("%(show)s, %(day)s, %(time)s")
        % {"show": isolated(show.title), "day": day_of(show), "time": clock_in_words(show.starts_at_local)},
        url=address_of(order),
        ttl_seconds=TTL_SECONDS,
        urgency=Urgency.HIGH,
    )
