"""Orders that wait for their money, and the provider's events about them, sent at a steady rate."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.request import Request, urlopen
from uuid import uuid4

import stripe

from bench.hall import show_on_sale
from bench.server_time import HEADER
from boxoffice.models import Payment
from boxoffice.payments import transitions
from boxoffice.place_order import place_order
from inventory.hold_seats import hold_seats
from inventory.models import Seat

API_KEY, WEBHOOK_SECRET = "sk_test_of_the_bench", "whsec_of_the_bench"
AMOUNT, CURRENCY = 8_400, "EUR"
CONNECTIONS = 32
TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Paid:
    """An order whose fan is on the payment page. key: of the attempt."""

    payment_id: int
    key: str


class Took(NamedTuple):
    """Milliseconds of a request in the server: all of it, and on the processor."""

    ms: float
    cpu_ms: float


def orders_that_wait_for_money(count: int) -> list[Paid]:
    """So many, of a seat each, in a new show."""
    show = show_on_sale(seats=count)
    seats = Seat.objects.filter(show=show).order_by("position").values_list("pk", flat=True)
    return [_waiting(show.pk, seat) for seat in seats]


def _waiting(show_id: int, seat_id: int) -> Paid:
    hold = hold_seats(show_id=show_id, seat_ids=[seat_id])
    email = f"buyer-{seat_id}@fans.example"
    order = place_order(hold_token=hold.token, name="Bench Buyer", email=email, language="en")
    key = f"payment-{uuid4()}"
    payment = Payment.objects.create(order=order, amount=AMOUNT, currency=CURRENCY, idempotency_key=key)
    return Paid(payment.pk, key)


def pay_at(address: str, orders: Sequence[Paid], *, latency_ms: int) -> None:
    """Pay each at the stand-in, and let it take so long for each answer from then on."""
    client = stripe.StripeClient(API_KEY, base_addresses={"api": address})
    price = {"currency": CURRENCY.lower(), "unit_amount": AMOUNT, "product_data": {"name": "Bench"}}
    for order in orders:
        asked: Any = {
            "mode": "payment",
            "success_url": "http://shop.example/",
            "line_items": [{"price_data": price, "quantity": 1}],
            "metadata": {"payment": order.key},
        }
        session = client.v1.checkout.sessions.create(asked)
        transitions.note_session(payment_id=order.payment_id, provider_id=session.id, page_url=session.url or "")
        _press(address, "pay", {"session": session.id})
    _press(address, "knobs", {"latency_ms": latency_ms})


def _press(address: str, button: str, given: dict[str, object]) -> None:
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(f"{address}/sandbox/stripe/{button}", json.dumps(given).encode(), headers), timeout=10):
        pass


class Events:
    """The provider, with connections that stay open, at one web server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._own = threading.local()

    def send(self, orders: Sequence[Paid], *, per_second: float) -> list[Took]:
        """Tell that each was paid, each at its time; what each took in the server.

        Raises RuntimeError for one that was not answered 204.
        """
        began = time.monotonic() + 0.1
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            sent = []
            for nth, order in enumerate(orders):
                time.sleep(max(began + nth / per_second - time.monotonic(), 0))
                sent.append(pool.submit(self._send, order))
            return [one.result(60) for one in sent]

    def _send(self, order: Paid) -> Took:
        if not hasattr(self._own, "line"):
            self._own.line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT_SECONDS)
        body = _event(order)
        at = int(time.time())
        signed = stripe.WebhookSignature._compute_signature(f"{at}.{body}", WEBHOOK_SECRET)
        headers = {"Content-Type": "application/json", "Stripe-Signature": f"t={at},v1={signed}"}
        self._own.line.request("POST", "/webhooks/stripe/", body, headers)
        answer = self._own.line.getresponse()
        said = answer.read()
        if answer.status != 204:
            raise RuntimeError(f"An event was answered {answer.status}: {said[:2000].decode()}")
        ms, cpu_ms = map(float, answer.headers[HEADER].split())
        return Took(ms, cpu_ms)


def _event(order: Paid) -> str:
    """As long as a real one, about 3,000 characters."""
    session = {
        "id": f"cs_test_{order.key}",
        "object": "checkout.session",
        "amount_total": AMOUNT,
        "currency": CURRENCY.lower(),
        "metadata": {"payment": order.key},
        "payment_status": "paid",
        "status": "complete",
        "url": None,
        "success_url": "http://shop.example/" + "x" * 2400,
    }
    event = {
        "id": f"evt_{order.key}",
        "object": "event",
        "api_version": "2026-10-28.endive",
        "created": int(time.time()),
        "data": {"object": session},
        "livemode": False,
        "pending_webhooks": 1,
        "request": {"id": None, "idempotency_key": None},
        "type": "checkout.session.completed",
    }
    return json.dumps(event)
