"""What the fan may do to his order himself: have the tickets sent again, and put a slip in the name right.

The forms have pages of their own, since the order's page sends no referrer, and a form sent without one is refused.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from boxoffice.contact import NAME_MAX_LENGTH
from boxoffice.errors import BoxOfficeError, InvalidContact, OrderNotFound
from boxoffice.models import Order
from boxoffice.selectors import order_by_token
from boxoffice.self_help.correct_own_name import can_correct, correct_own_name
from boxoffice.self_help.send_tickets import send_tickets
from boxoffice.storefront.errors import refuse
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.see_other import SeeOther


@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def send_again(request: HttpRequest, token: str) -> HttpResponse:
    """GET: where the tickets would go; with ``?done=1`` that they are on their way. POST: send them once more."""
    order = order_by_token(token=token)
    if order is None:
        return refuse(request, error=OrderNotFound())
    if request.method != "POST":
        return _page(request, "boxoffice/send_again.html", order, {"done": "done" in request.GET})
    try:
        send_tickets(order_id=order.pk)
    except BoxOfficeError as error:
        return _page(request, "boxoffice/send_again.html", order, {"problem": error}, status=error.status_code)
    return SeeOther(f"{reverse('send_again', args=[token])}?done=1")


@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def own_name(request: HttpRequest, token: str) -> HttpResponse:
    """GET: the name as it is, and what a slip is; with ``?done=1`` as it is now. POST (``name``): put it right."""
    order = order_by_token(token=token)
    if order is None:
        return refuse(request, error=OrderNotFound())
    if request.method != "POST":
        context = {"done": "done" in request.GET, "name": order.name, "is_possible": can_correct(order)}
        return _page(request, "boxoffice/own_name.html", order, context)
    name = request.POST.get("name", "")
    try:
        correct_own_name(order_id=order.pk, name=name)
    except BoxOfficeError as error:
        words = error.fields["name"] if isinstance(error, InvalidContact) else str(error)
        context = {"problem": words, "name": name, "is_possible": True}
        return _page(request, "boxoffice/own_name.html", order, context, status=error.status_code)
    return SeeOther(f"{reverse('own_name', args=[token])}?done=1")


def _page(
    request: HttpRequest, template: str, order: Order, context: dict[str, object], *, status: int = 200
) -> HttpResponse:
    values = {**context, "order": order, "name_max_length": NAME_MAX_LENGTH}
    return render(request, template, values, status=status)
