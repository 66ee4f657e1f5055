"""An order's page: "confirmed" at once, and the tickets a moment later."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from boxoffice.errors import OrderNotFound
from boxoffice.messages.show_cancelled import Back, read_back
from boxoffice.order_page import OrderPage
from boxoffice.order_page import order_page as read_order_page
from boxoffice.storefront.errors import refuse
from boxoffice.storefront.order_slip import slip_of_order
from boxoffice.storefront.polling import next_poll
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.progress import Progress, progress_of
from boxoffice.storefront.show_news import news_of
from boxoffice.storefront.shown_tickets import shown_tickets, void_tickets_in_words
from inventory.models import Show
from notifications.channels.push.keys import application_server_key, push_is_set_up

no_referrer = private_page(referrer="no-referrer")


@no_referrer
@require_safe
def order_page(request: HttpRequest, token: str) -> HttpResponse:
    """What became of the show, the steps, the tickets as far as there are any, and what was bought. Four queries, two
    more where the show is cancelled, one where a dispute has made the tickets void.
    """
    page = read_order_page(token=token)
    if page is None:
        return refuse(request, error=OrderNotFound())
    progress = progress_of(page)
    context = _context(request, page=page, progress=progress)
    if progress.is_confirmed and push_is_set_up():
        context["push_key"] = application_server_key()
    return render(request, "boxoffice/order.html", context)


@no_referrer
@require_safe
def order_status(request: HttpRequest, token: str) -> HttpResponse:
    """What has changed since the steps that ``?seen=`` names, for the page that asks. Four queries.

    Nothing but the next question when nothing has; not even that when nothing more will come.
    """
    page = read_order_page(token=token)
    if page is None:
        return refuse(request, error=OrderNotFound())
    progress = progress_of(page)
    context = _context(request, page=page, progress=progress)
    context["changed"] = request.GET.get("seen") != progress.digest
    # What stands around the steps is for an order that is confirmed, or for one that is not.
    context["turned"] = ("confirmed" in request.GET) != progress.is_confirmed
    return render(request, "boxoffice/order_status.html", context)


def _back(page: OrderPage) -> Back | None:
    """What comes back of a cancelled show. Two queries then, none otherwise."""
    is_off = page.order.show.status == Show.Status.CANCELLED
    return read_back(order=page.order) if is_off and page.order.confirmed_at else None


def _context(request: HttpRequest, *, page: OrderPage, progress: Progress) -> dict[str, object]:
    return {
        "order": page.order,
        "show": page.order.show,
        "progress": progress,
        "news": news_of(page, back=_back(page)),
        "poll": next_poll(request.GET),
        "bank_decides": page.disputed == "open",
        "tickets": shown_tickets(page.tickets),
        "void": void_tickets_in_words(page.void),
        "slip": slip_of_order(order=page.order, lines=page.lines, refunds=page.refunds, kept_by_bank=page.kept_by_bank),
    }
