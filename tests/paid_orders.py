"""The provider's webhooks as a test sends them, and what a paid order looks like."""

from __future__ import annotations

import json
import time

import stripe
from django.test import Client

from boxoffice.models import Order
from boxoffice.payments.settle_payment import settle_payment
from jobs.models import Job
from tests.fixtures_payments import Payments
from tests.payment_keys import WEBHOOK_SECRET
from tickets.models import Ticket


def hook(client: Client, body: bytes, secret: str = WEBHOOK_SECRET, age: int = 0) -> int:
    """Send a webhook as the provider signs it."""
    at = int(time.time()) - age
    signed = stripe.WebhookSignature._compute_signature(f"{at}.{body.decode()}", secret)
    headers = {"Stripe-Signature": f"t={at},v1={signed}"}
    return client.post("/webhooks/stripe/", body, content_type="application/json", headers=headers).status_code


def completed(payments: Payments, type: str = "checkout.session.completed") -> bytes:
    """The newest event of that type, as the provider sends it."""
    return json.dumps(payments.events(type=type)[-1].to_dict()).encode()


def run_job() -> None:
    """Do what the waiting job about the payment does."""
    (args,) = set(
        Job.objects.filter(task="boxoffice.settle_payment", state="waiting").values_list("args__payment_id", flat=True)
    )
    settle_payment(payment_id=args)


def sold_once(order: Order) -> bool:
    order.refresh_from_db()
    jobs = Job.objects.filter(task="tickets.issue_tickets", subject=order.subject).count()
    return (order.status, jobs, Ticket.objects.filter(order_id=order.pk).count()) == ("confirmed", 1, 2)
