"""The show of an order as a file for the fan's calendar."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from boxoffice.errors import OrderNotFound
from boxoffice.messages.calendar_file import calendar_file
from boxoffice.selectors import order_by_token
from boxoffice.storefront.errors import refuse
from boxoffice.storefront.private_pages import private_page

no_referrer = private_page(referrer="no-referrer")


@no_referrer
@require_safe
def order_calendar(request: HttpRequest, token: str) -> HttpResponse:
    """The entry as things stand now. One query. 404 for an order that was never confirmed: it has no show to go to."""
    order = order_by_token(token=token)
    if order is None or order.confirmed_at is None:
        return refuse(request, error=OrderNotFound())
    file = calendar_file(order=order)
    response = HttpResponse(file.content, content_type=f"{file.content_type}; charset=utf-8")
    response.headers["Content-Disposition"] = content_disposition_header(True, file.name)
    return response
