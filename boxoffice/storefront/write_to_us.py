"""Writing to the box office: from an order's page, or without one."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods

from boxoffice.contact import EMAIL_MAX_LENGTH
from boxoffice.errors import BoxOfficeError, InvalidContact, OrderNotFound
from boxoffice.models import Order
from boxoffice.models.attention import LONGEST_TEXT
from boxoffice.selectors import order_by_token
from boxoffice.self_help.write_to_us import LONGEST_CODE
from boxoffice.self_help.write_to_us import write_to_us as add_message
from boxoffice.storefront.client_network import require_few_from_here
from boxoffice.storefront.errors import UnreadableForm, refuse
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.see_other import SeeOther


@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def write_to_us(request: HttpRequest, token: str = "") -> HttpResponse:
    """GET: the form; with ``?sent=1`` what happens next. POST (``text``, ``email``, ``code``, ``number``): take it.

    token: of the order's page where the writer comes from, whose order is then known. The same form sent again is one
    message. What was typed wrongly is shown again, with a sentence at its field.
    """
    order = order_by_token(token=token) if token else None
    if token and order is None:
        return refuse(request, error=OrderNotFound())
    if request.method != "POST":
        email = order.email if order is not None else ""
        return _page(request, order, {"sent": "sent" in request.GET, "email": email, "number": uuid4()})
    typed = {field: request.POST.get(field, "") for field in ("text", "email", "code", "number")}
    try:
        number = UUID(typed["number"])
    except ValueError:
        return refuse(request, error=UnreadableForm())
    try:
        require_few_from_here(request, what="write to us")
        add_message(
            text=typed["text"],
            email=typed["email"],
            code="" if order is not None else typed["code"],
            number=number,
            language=get_language() or "",
            order=order,
        )
    except InvalidContact as error:
        return _page(request, order, {**typed, "problems": error.fields}, status=error.status_code)
    except BoxOfficeError as error:
        return _page(request, order, {**typed, "problem": error}, status=error.status_code)
    here = reverse("write_about_order", args=[token]) if token else reverse("write_to_us")
    return SeeOther(f"{here}?sent=1")


def _page(request: HttpRequest, order: Order | None, context: dict[str, object], *, status: int = 200) -> HttpResponse:
    longest = {"text": LONGEST_TEXT, "email": EMAIL_MAX_LENGTH, "code": LONGEST_CODE}
    return render(request, "boxoffice/write_to_us.html", {**context, "order": order, "longest": longest}, status=status)
