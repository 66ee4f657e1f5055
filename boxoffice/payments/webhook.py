"""Where the provider's webhooks arrive: ``/webhooks/stripe/``."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from boxoffice.payments.errors import ForgedEvent
from boxoffice.payments.metrics import EVENTS
from boxoffice.payments.receive_event import receive_event

LONGEST_BODY = 256 * 1024
"""Bytes. An event shows one object; the longest of ours has some ten thousand."""


@csrf_exempt  # its signature says who sent it
@require_POST
def stripe_webhook(request: HttpRequest) -> HttpResponse:
    """204 once it is stored, whatever it tells, or logged where it makes no sense.

    400 when it was not signed by the provider, 413 when it is too long.
    """
    announced = request.META.get("CONTENT_LENGTH") or "0"
    # Python refuses to read numbers of thousands of digits.
    if not announced.isdecimal() or int(announced[:18]) > LONGEST_BODY:
        return HttpResponse(status=413)
    try:
        receive_event(body=request.body, signature=request.headers.get("Stripe-Signature", ""))
    except ForgedEvent as error:
        EVENTS.labels(outcome="forged").inc()
        return HttpResponse(str(error), status=error.status_code, content_type="text/plain; charset=utf-8")
    return HttpResponse(status=204)
