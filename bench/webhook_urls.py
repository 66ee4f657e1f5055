"""The addresses of the box office, with a webhook that does everything itself."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt

from boxoffice.models import Payment
from boxoffice.payments import provider
from boxoffice.payments.receive_event import receive_event
from boxoffice.payments.settle_payment import ask, take_in


@csrf_exempt
def in_the_request(request: HttpRequest) -> HttpResponse:
    """Store the event as ours does; then ask the provider and confirm, before anything is answered."""
    body, signature = request.body, request.headers.get("Stripe-Signature", "")
    receive_event(body=body, signature=signature)
    key = provider.read_event(body=body, signature=signature).object["metadata"]["payment"]
    payment = Payment.objects.get(idempotency_key=key)
    answer = ask(payment_id=payment.pk)
    if answer is not None:
        take_in(payment_id=payment.pk, answer=answer)
    return HttpResponse(status=204)


urlpatterns = [path("webhooks/stripe/", in_the_request), path("", include("config.urls"))]
