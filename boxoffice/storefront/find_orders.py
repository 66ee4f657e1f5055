"""Finding one's orders: an address goes in, and the same answer comes out whatever there is."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods

from boxoffice.contact import EMAIL_MAX_LENGTH
from boxoffice.errors import BoxOfficeError, InvalidContact
from boxoffice.self_help.ask_for_orders import ask_for_orders
from boxoffice.storefront.client_network import require_few_from_here
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.see_other import SeeOther


@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def find_orders(request: HttpRequest) -> HttpResponse:
    """GET: the form; with ``?asked=1`` what happens next. POST (``email``): note the address, and go there.

    Two statements for any address that could be one. What was typed wrongly is shown again.
    """
    if request.method != "POST":
        return _page(request, {"asked": "asked" in request.GET})
    email = request.POST.get("email", "")
    try:
        require_few_from_here(request, what="my orders")
        ask_for_orders(email=email, language=get_language() or "")
    except BoxOfficeError as error:
        problem = error.fields["email"] if isinstance(error, InvalidContact) else str(error)
        return _page(request, {"email": email, "problem": problem}, status=error.status_code)
    return SeeOther(f"{reverse('find_orders')}?asked=1")


def _page(request: HttpRequest, context: dict[str, object], *, status: int = 200) -> HttpResponse:
    context["email_max_length"] = EMAIL_MAX_LENGTH
    return render(request, "boxoffice/find_orders.html", context, status=status)
