"""What the order's page offers: the changes that this user may make to it as it is now."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from boxoffice.models import Order
from boxoffice.support.actions import cancel_page, move_page, ticket_pages
from boxoffice.support.actions.hold_pages import EXTEND_PERMISSION, FROM_THE_ORDER
from boxoffice.support.actions.mail_pages import may_write
from boxoffice.support.actions.refund_pages import may_refund
from boxoffice.support.actions.sell_again import address_to_sell_again
from boxoffice.support.actions.sell_pages import may_sell
from boxoffice.support.story.facts import Facts
from boxoffice.support.story.payment_story import may_yet_be_paid
from inventory.models import Hold, Show
from tickets.models import Ticket


@dataclass(frozen=True)
class Offer:
    """A link that leads to the page that asks."""

    label: str
    address: str


def offered(request: HttpRequest, facts: Facts) -> list[Offer]:
    """The commonest first. No query beside those that ask for permissions."""
    order, can = facts.order, request.user.has_perm
    has_file = facts.document is not None and not facts.no_ticket_is_valid
    # What stands on top of the page tells why.
    with_the_bank = facts.only_disputed_money
    may_cancel = cancel_page.can_be_cancelled(order) and can(cancel_page.PERMISSION)
    has_failed = any(ticket.status == Ticket.Status.FAILED for ticket in facts.tickets)
    all_of_them = (
        (has_file and can(ticket_pages.PRINT_PERMISSION), _("Print the tickets"), "print"),
        (may_write(request), _("Correct the address…"), "address"),
        (can(ticket_pages.NAME_PERMISSION), _("Correct the name…"), "name"),
        (move_page.can_be_moved(order) and can(move_page.PERMISSION), _("Other seats…"), "move"),
        (
            not with_the_bank and may_refund(request, order),
            _("Refund…") if order.total else _("Cancel tickets…"),
            "refund",
        ),
        (not with_the_bank and may_cancel, _("Cancel the order…"), "cancel"),
        ((has_file or has_failed) and can(ticket_pages.RENDER_PERMISSION), _("Make the tickets anew…"), "render"),
    )
    links = [Offer(label, _address(order, page)) for may, label, page in all_of_them if may]
    return [*links, *_on_the_hold(request, facts), *_sale(request, facts)]


def _address(order: Order, page: str) -> str:
    return reverse(f"admin:boxoffice_order_{page}", args=[order.pk])


def _on_the_hold(request: HttpRequest, facts: Facts) -> list[Offer]:
    """While the order waits for its payment: more time, which a caller asks for."""
    hold, can = facts.order.hold, request.user.has_perm
    if facts.order.status != Order.Status.PENDING_PAYMENT or hold.status != Hold.Status.ACTIVE:
        return []
    if facts.hold_has_lapsed or not can(EXTEND_PERMISSION) or not can("inventory.view_hold"):
        return []
    address = reverse("admin:inventory_hold_extend", args=[hold.pk])
    return [Offer(_("Extend the hold…"), f"{address}?from={FROM_THE_ORDER}")]


def _sale(request: HttpRequest, facts: Facts) -> list[Offer]:
    """Once its time is over and nothing was sold: the same seats, if they are free, to the same buyer. Not of a show
    that is cancelled.
    """
    order, show = facts.order, facts.order.show
    came_to_nothing = order.status == Order.Status.EXPIRED or (
        order.status == Order.Status.PENDING_PAYMENT and facts.hold_has_lapsed and not may_yet_be_paid(facts)
    )
    is_over = show.status == Show.Status.CANCELLED or show.starts_at <= facts.now
    if not came_to_nothing or order.confirmed_at or is_over or not may_sell(request):
        return []
    return [Offer(_("Sell the same seats again…"), address_to_sell_again(order))]
