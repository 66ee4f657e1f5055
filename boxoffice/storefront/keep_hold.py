"""What the checkout's page asks for while a hold lasts: more time, and that its fan has left or is back."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from boxoffice.storefront import own_hold
from boxoffice.storefront.buyer_form import BuyerForm
from boxoffice.storefront.checkout import page_of_hold
from boxoffice.storefront.errors import refuse
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.see_other import SeeOther
from inventory.errors import InventoryError, UnknownHold
from inventory.extend_hold import EXTENSION, extend_hold
from inventory.leave_hold import come_back, leave_hold
from inventory.selectors import hold_by_token


@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def more_time(request: HttpRequest, token: UUID) -> HttpResponse:
    """POST: five minutes more, once. The checkout's page again, with what was typed (``name``, ``email``).

    For the page's script (which asks for JSON) the seconds left and a sentence: it moves nothing on the page, and what
    was typed stays. Pressed twice it says the same. Three queries. GET: back to the checkout.
    """
    if request.method != "POST":
        return SeeOther(reverse("checkout", args=[token]))
    try:
        extend_hold(token=token)
    except UnknownHold as error:
        return refuse(request, error=error)
    except InventoryError:
        pass  # the page says how things stand
    if request.accepts("text/html"):
        form = BuyerForm(name=request.POST.get("name", ""), email=request.POST.get("email", ""))
        return page_of_hold(request, token=token, form=form, good_news=words())
    held = hold_by_token(token=token)
    if not held.is_open:
        return JsonResponse({}, status=410)
    answer = JsonResponse({"seconds_left": held.seconds_left, "words": words()})
    own_hold.remember(answer, hold=held.hold, show=held.hold.show)
    return answer


@private_page()
@require_POST
def leave(request: HttpRequest, token: UUID) -> HttpResponse:
    """The page is closed, or another one comes in its place. Nobody reads the answer. Two queries."""
    leave_hold(token=token)
    return HttpResponse(status=204)


@private_page()
@require_POST
def back(request: HttpRequest, token: UUID) -> HttpResponse:
    """A page that was left is there again, or another page of this site in its place. One query."""
    come_back(token=token)
    return HttpResponse(status=204)


def words() -> str:
    """What is said when more time was given."""
    minutes = int(EXTENSION.total_seconds()) // 60
    said = ngettext("You have %(count)d minute more.", "You have %(count)d minutes more.", minutes)
    return said % {"count": minutes}
