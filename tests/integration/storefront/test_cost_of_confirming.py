"""What the request that confirms an order asks, and of whom. ``docs/checkout.md`` names these numbers."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest
from django.test import Client

from boxoffice.confirm_order import QUERIES_TO_CONFIRM
from boxoffice.models import Order, Payment
from tests.fixtures_boxoffice import statements
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import ADA, come_back, pay

# The hold begins no second order, and two queries find the first; then QUERIES_TO_CONFIRM.
FREE = 3 + QUERIES_TO_CONFIRM
# The order by its secret, the payment and how it stands, the time; it is locked, its money is locked and nobody else's,
# and it is settled; then the same.
PAID = 8 + QUERIES_TO_CONFIRM


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Whom this process connects to. libpq has sockets of its own; everything else goes through Python's."""
    talked_to: list[object] = []
    connect = socket.socket.connect

    def note(self: socket.socket, address: object) -> None:
        talked_to.append(address)
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", note)
    return talked_to


@pytest.mark.django_db(transaction=True)
def test_a_free_order_is_confirmed_in_eight_statements_and_asks_postgresql_only(
    placed_order: Order, called: list[object]
) -> None:
    client = Client()
    with statements() as asked:
        answer = client.post(f"/holds/{placed_order.hold.token}/", ADA)
    assert answer.status_code == 303
    placed_order.refresh_from_db()
    assert placed_order.status == "confirmed"
    assert len(asked) == FREE, "\n".join(s[:160] for s in asked)
    assert called == []


@pytest.mark.django_db(transaction=True)
def test_a_paid_order_is_confirmed_in_thirteen_statements_and_asks_nobody_but_the_provider_besides(
    paid_house: Payments, started_payment: Payment, called: list[object]
) -> None:
    pay(paid_house, started_payment)
    called.clear()
    client = Client()
    with statements() as asked:
        come_back(client, started_payment)
    assert Order.objects.get().status == "confirmed"
    assert len(asked) == PAID, "\n".join(s[:160] for s in asked)
    address = urlsplit(paid_house.address)
    assert set(called) <= {(address.hostname, address.port)}
