"""A show as an entry for the fan's own calendar (RFC 5545, RFC 5546).

Guarantee: the entry of an order and show has one UID for ever, and its SEQUENCE is the show's version: a calendar that
takes a later file moves the entry that it has. Two files that say the same are the same, byte by byte.

The entry has no end, since nobody knows when a show ends. It does not hold the address of the order's page either:
calendars are shared more readily than tickets.
"""

from __future__ import annotations

from email.utils import parseaddr
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from icalendar import Calendar, Event, vCalAddress, vText

from boxoffice.messages.calendar_zone import calendar_zone
from boxoffice.messages.show_times import clock_in_words
from boxoffice.models import Order
from boxoffice.one_line import one_line
from inventory.models import Show
from notifications.content import Attachment

CONTENT_TYPE = "text/calendar"

_GIVEN_BACK = (Order.Status.REFUNDED, Order.Status.CANCELLED)


def calendar_file(*, order: Order) -> Attachment:
    """The entry of this order's show, in the active language, as a file. ``order`` comes with show and venue. Pure.

    A show that is cancelled, or whose seats were all given back, takes the entry out again (METHOD:CANCEL).
    """
    show = order.show
    calendar = Calendar()
    calendar.add("PRODID", "-//BoxOffice//Tickets//EN")
    calendar.add("VERSION", "2.0")
    calendar.add("METHOD", "CANCEL" if _is_off(order) else "PUBLISH")
    calendar.add_component(calendar_zone(show.venue.zone, show.starts_at_local.year))
    calendar.add_component(_entry(order))
    name = _("show-%(code)s.ics") % {"code": order.code}
    return Attachment(name=name, content_type=CONTENT_TYPE, content=calendar.to_ical())


def _entry(order: Order) -> Event:
    show = order.show
    entry = Event()
    entry.add("UID", str(_uid(order)))
    entry.add("SEQUENCE", show.version)
    entry.add("DTSTAMP", order.confirmed_at or order.placed_at)
    entry.add("DTSTART", show.starts_at_local)
    entry.add("SUMMARY", one_line(show.title))
    entry.add("LOCATION", ", ".join([one_line(show.venue.name), *map(one_line, show.venue.address.splitlines())]))
    entry.add("DESCRIPTION", _description(order))
    entry.add("URL", f"{settings.PUBLIC_URL}{reverse('show', args=[show.slug])}")
    entry.add("STATUS", _status(order))
    entry.add("ORGANIZER", _organizer())
    return entry


def _is_off(order: Order) -> bool:
    return order.show.status == Show.Status.CANCELLED or order.status in _GIVEN_BACK


def _status(order: Order) -> str:
    if _is_off(order):
        return "CANCELLED"
    return "TENTATIVE" if order.show.status == Show.Status.POSTPONED else "CONFIRMED"


def _description(order: Order) -> str:
    doors = _("Doors open at %(doors)s.") % {"doors": clock_in_words(order.show.doors_at_local)}
    code = _("Order %(code)s.") % {"code": order.code}
    return "\n".join(filter(None, [one_line(order.show.subtitle), doors, code]))


def _organizer() -> vCalAddress:
    """Who sells: calendars that read METHOD want one."""
    name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    organizer = vCalAddress(f"mailto:{address}")
    if name:
        organizer.params["CN"] = vText(name)
    return organizer


def _uid(order: Order) -> UUID:
    """By the code, which never changes; no domain is in it, which might."""
    return uuid5(NAMESPACE_URL, f"boxoffice/order/{order.code}/show/{order.show_id}")
