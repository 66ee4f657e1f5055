"""The payment provider's stand-in as a process, spoken to by the real SDK, and an endpoint that takes its events."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen

import pytest
import stripe

from tests.payment_keys import API_KEY, WEBHOOK_SECRET
from tests.processes import Process, wait_for


@dataclass(frozen=True)
class Payments:
    """A running stand-in."""

    address: str

    def client(self, *, key: str = API_KEY, retries: int = 0, timeout: float = 10) -> stripe.StripeClient:
        """The SDK's client; it tries once unless told otherwise."""
        http = stripe.RequestsClient(timeout=timeout)
        return stripe.StripeClient(
            key, base_addresses={"api": self.address}, max_network_retries=retries, http_client=http
        )

    def post(self, path: str, **given: Any) -> Any:
        """Press one of the stand-in's own buttons, under ``/sandbox/stripe/``."""
        headers = {"Content-Type": "application/json"}
        request = Request(f"{self.address}/sandbox/stripe/{path}", json.dumps(given).encode(), headers)
        with urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def get(self, path: str) -> Any:
        with urlopen(f"{self.address}/sandbox/stripe/{path}", timeout=10) as answer:
            return json.load(answer)

    def turn(self, **knobs: Any) -> dict[str, Any]:
        """Turn knobs; they are obeyed from the next request on."""
        return self.post("knobs", **knobs)

    def open_session(self, **given: Any) -> stripe.checkout.Session:
        """An order of two seats that is to be paid."""
        return self.client().v1.checkout.sessions.create({**an_order(), **given})

    def pay(self, session: stripe.checkout.Session, card: str = "pays", **given: Any) -> dict[str, str]:
        """Pay as the payment page does, without a browser."""
        return self.post("pay", session=session.id, card=card, **given)

    def paid_session(self, card: str = "pays", **given: Any) -> stripe.checkout.Session:
        """An order that somebody paid."""
        session = self.open_session(**given)
        self.pay(session, card, agrees=True)
        return self.client().v1.checkout.sessions.retrieve(session.id)

    def events(self, **narrowed: Any) -> list[stripe.Event]:
        """Everything that happened, oldest first."""
        found = self.client().v1.events.list({"limit": 100, **narrowed})
        return list(found.auto_paging_iter())[::-1]


def an_order(*, currency: str = "eur", unit_amount: int = 4_200, quantity: int = 2) -> dict[str, Any]:
    """Parameters of a session as BoxOffice would create it."""
    price = {"currency": currency, "unit_amount": unit_amount, "product_data": {"name": "Hamlet, row A"}}
    return {
        "mode": "payment",
        "success_url": "http://shop.example/orders/1/paid?session={CHECKOUT_SESSION_ID}",
        "cancel_url": "http://shop.example/orders/1",
        "client_reference_id": "order-1",
        "line_items": [{"price_data": price, "quantity": quantity}],
        "payment_intent_data": {"metadata": {"order": "1"}},
        "metadata": {"order": "1"},
    }


@pytest.fixture(scope="session")
def payments_process() -> Iterator[Payments]:
    """``python -m sandbox stripe`` on a free port, for all tests of this run."""
    environment = {
        **os.environ,
        "SANDBOX_STRIPE_PORT": "0",
        "SANDBOX_STRIPE_DIR": "",
        "STRIPE_API_KEY": API_KEY,
        "STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
    }
    process = Process("stripe", [sys.executable, "-m", "sandbox", "stripe"], environment, ready="READY")
    try:
        process.wait_until_ready()
        yield Payments(next(line for line in process.output if "READY" in line).split()[1].rstrip("/"))
    finally:
        assert process.terminate() == 0, "".join(process.output)
        assert "Traceback" not in "".join(process.output)


@pytest.fixture
def payments(payments_process: Payments) -> Payments:
    """The stand-in as on its first day: no objects, all knobs as made, nobody to tell."""
    payments_process.post("endpoint", url="", secret=WEBHOOK_SECRET)
    payments_process.post("reset")
    return payments_process


@dataclass
class Receiver:
    """Takes events, and answers with ``status``; what came is kept as it came."""

    address: str = ""
    status: int = 200
    received: list[tuple[bytes, str]] = field(default_factory=list)

    def events(self) -> list[stripe.Event]:
        """What came, once each signature was checked by the SDK."""
        return [stripe.Webhook.construct_event(body, signed, WEBHOOK_SECRET) for body, signed in self.received]

    def types(self) -> list[str]:
        return [event.type for event in self.events()]

    def wait_for(self, count: int) -> list[stripe.Event]:
        """The events once so many have come."""
        wait_for(lambda: len(self.received) >= count, what=f"{count} events come")
        return self.events()


@pytest.fixture
def receiver(payments: Payments) -> Iterator[Receiver]:
    """An endpoint that the stand-in sends its events to."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.received.append((body, self.headers["Stripe-Signature"]))
            self.send_response(receiver.status)
            self.end_headers()

        def log_message(self, *_arguments: Any) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        receiver.address = f"http://127.0.0.1:{server.server_address[1]}/hooks"
        payments.post("endpoint", url=receiver.address, secret=WEBHOOK_SECRET)
        yield receiver
        payments.post("endpoint", url="", secret=WEBHOOK_SECRET)
        server.shutdown()
