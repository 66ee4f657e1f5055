"""Asking to be told when a sale opens, and taking one's address out again."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from boxoffice.ask_to_be_told import ask_to_be_told
from boxoffice.erase_sale_alerts import erase_sale_alert
from boxoffice.errors import BoxOfficeError, InvalidContact, NothingToWaitFor
from boxoffice.models import SaleAlert
from boxoffice.storefront import asked_before, own_hold
from boxoffice.storefront.alert_form import AlertForm
from boxoffice.storefront.client_network import require_few_from_here
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.see_other import SeeOther
from boxoffice.storefront.show import page_of_show
from inventory.errors import UnknownShow
from inventory.selectors import Offer, show_by_slug


@cache_control(private=True, no_cache=True)
@require_http_methods(["GET", "HEAD", "POST"])
def tell_me(request: HttpRequest, slug: str) -> HttpResponse:
    """POST (``email``): note the address and go back to the show's page. Four statements.

    The answer is the same for an address that is known already. A refusal shows the page again with what was typed.
    GET leads to the show's page, where the form is. Not compressed, since it repeats what was typed.
    """
    if request.method != "POST":
        return SeeOther(reverse("show", args=[slug]))
    try:
        offer = show_by_slug(slug=slug)
    except UnknownShow as error:
        raise Http404 from error
    email = request.POST.get("email", "")
    try:
        asked_before.require_few(request)
        require_few_from_here(request, what="tell me")
        ask_to_be_told(show_id=offer.show.pk, email=email, language=get_language() or "")
    except NothingToWaitFor as error:
        return _too_late(request, offer=offer, error=error)
    except BoxOfficeError as error:
        problem = error.fields["email"] if isinstance(error, InvalidContact) else str(error)
        form = AlertForm(email=email, problem=problem)
        return page_of_show(request, offer=offer, alert=form, status=error.status_code)
    response = SeeOther(reverse("show", args=[slug]) + "?asked=1#tell-me")
    asked_before.count_one_more(request, response)
    asked_before.remember_address(response, slug=slug, email=email.strip())
    return response


@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def sale_alert(request: HttpRequest, token: str) -> HttpResponse:
    """GET: what is stored behind the link of a mail, and whether to erase it; a look changes nothing. POST: erase it.

    Whoever has the link may do so. Pressing twice does no harm, and reads the same.
    """
    if request.method == "POST":
        erase_sale_alert(token=token)
        return render(request, "boxoffice/sale_alert.html", {"erased": True})
    alert = SaleAlert.objects.select_related("show__venue").filter(token=token).first()
    status = 200 if alert else 404
    return render(request, "boxoffice/sale_alert.html", {"alert": alert}, status=status)


def _too_late(request: HttpRequest, *, offer: Offer, error: NothingToWaitFor) -> HttpResponse:
    """The sale opened while the form was open, or will not open any more: the page says how things stand now."""
    offer = show_by_slug(slug=offer.show.slug)
    own = own_hold.remembered(request, show=offer.show)
    if offer.sells:
        return SeeOther(reverse("show", args=[offer.show.slug]) + "?opened=1")
    return page_of_show(request, offer=offer, own=own, problem=error, status=error.status_code)
