"""Where the payment page sends the browser back to: the payment is settled here and now, whoever else may come."""

from __future__ import annotations

from time import perf_counter

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from boxoffice.errors import OrderNotFound
from boxoffice.models import Order, Payment
from boxoffice.payments import provider
from boxoffice.payments.errors import PaymentRefused, ProviderAway
from boxoffice.payments.settle_payment import ask, take_in
from boxoffice.selectors import order_by_token
from boxoffice.storefront.errors import refuse
from boxoffice.storefront.polling import next_poll
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.see_other import SeeOther

# Each round asks the provider, so it asks less often than a page that asks us alone.
SLOWER = 4


@private_page(referrer="no-referrer")
@require_safe
def paid(request: HttpRequest, token: str) -> HttpResponse:
    """Ask the provider, settle, and go to the order's page. While nothing is known, a page that asks again.

    It needs PostgreSQL and the provider alone. ``?session=`` is the provider's id; one that is not of this order's
    payments asks nobody anything.
    """
    order = order_by_token(token=token)
    if order is None:
        return refuse(request, error=OrderNotFound())
    times: list[str] = []
    if order.status == Order.Status.PENDING_PAYMENT and _still_open(request, order=order, times=times):
        return _waiting(request, order=order)
    address = reverse("order", args=[token])
    answer = HttpResponse(headers={"HX-Redirect": address}) if request.headers.get("HX-Request") else SeeOther(address)
    answer.headers["Server-Timing"] = ", ".join(times)
    return answer


def _still_open(request: HttpRequest, *, order: Order, times: list[str]) -> bool:
    """Whether the payment is not settled even now. Raises nothing that heals by waiting.

    times: gets how long the provider took, and how long what follows, for the answer's Server-Timing.
    """
    session_id = request.GET.get("session", "")
    # An attempt whose making was never answered has no id either: that one the job looks for.
    if not session_id:
        return False
    payment = Payment.objects.filter(order=order, provider_id=session_id).first()
    if payment is None:
        return False
    started = perf_counter()
    try:
        with provider.in_words():
            answer = ask(payment_id=payment.pk)
    except (ProviderAway, PaymentRefused):
        return True
    if answer is None:
        return False
    asked = perf_counter()
    with transaction.atomic():
        take_in(payment_id=payment.pk, answer=answer)
    confirmed = perf_counter()
    times += [f"ask;dur={1000 * (asked - started):.1f}", f"confirm;dur={1000 * (confirmed - asked):.1f}"]
    return answer.state == "processing"


def _waiting(request: HttpRequest, *, order: Order) -> HttpResponse:
    poll = next_poll(request.GET)
    here = f"{request.path}?session={request.GET['session']}"
    context = {"order": order, "poll": poll, "delay_ms": SLOWER * poll.delay_ms, "here": here}
    part = "boxoffice/_asking.html" if request.headers.get("HX-Request") else "boxoffice/paid.html"
    return render(request, part, context)
