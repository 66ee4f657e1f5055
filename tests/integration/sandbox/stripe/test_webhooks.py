"""Events as they reach an endpoint: signed, at least once, late, doubled, in another order, never, and again."""

from __future__ import annotations

import socket
import time
from typing import Any
from urllib.error import HTTPError

import pytest
import stripe

from tests.fixtures_payments import Payments, Receiver
from tests.payment_keys import WEBHOOK_SECRET
from tests.processes import wait_for

A_PAYMENT = [
    "payment_intent.created",
    "charge.succeeded",
    "payment_intent.succeeded",
    "checkout.session.completed",
]


def test_a_payment_is_told_with_signatures_that_the_sdk_accepts(payments: Payments, receiver: Receiver) -> None:
    session = payments.open_session()
    payments.pay(session)
    events = receiver.wait_for(4)
    assert sorted(event.type for event in events) == sorted(A_PAYMENT)
    (completed,) = (event for event in events if event.type == "checkout.session.completed")
    assert completed.api_version == stripe.api_version
    assert completed.data.object["id"] == session.id
    assert completed.data.object["payment_status"] == "paid"
    wait_for(
        lambda: payments.client().v1.events.retrieve(completed.id).pending_webhooks == 0, what="it counts as delivered"
    )


def test_another_secret_or_a_changed_body_does_not_pass(payments: Payments, receiver: Receiver) -> None:
    payments.paid_session()
    receiver.wait_for(4)
    body, signed = receiver.received[0]
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(body, signed, WEBHOOK_SECRET + "x")
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(body + b" ", signed, WEBHOOK_SECRET)


def test_an_event_tells_which_request_caused_it(payments: Payments, receiver: Receiver) -> None:
    session = payments.open_session()
    payments.client().v1.checkout.sessions.expire(session.id, options={"idempotency_key": "ends-1"})
    (event,) = receiver.wait_for(1)
    assert event.request is not None
    assert event.request.idempotency_key == "ends-1"
    assert str(event.request.id).startswith("req_")


def test_an_endpoint_that_fails_is_asked_again_until_it_answers(payments: Payments, receiver: Receiver) -> None:
    receiver.status = 500
    payments.client().v1.checkout.sessions.expire(payments.open_session().id)
    wait_for(lambda: len(receiver.received) == 1, what="the first try")
    wait_for(lambda: payments.get("deliveries")[0]["outcome"] == "500", what="it is noted")
    receiver.status = 200
    payments.turn(advance_s=2)
    first, second = receiver.wait_for(2)
    assert first.id == second.id
    wait_for(lambda: payments.get("deliveries")[0]["state"] == "delivered", what="it is delivered")


@pytest.mark.parametrize("answer", [b"", b"what?\r\n\r\n"])
def test_an_endpoint_that_hangs_up_or_talks_nonsense_is_asked_again(payments: Payments, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        payments.post("endpoint", url=f"http://127.0.0.1:{server.getsockname()[1]}/", secret=WEBHOOK_SECRET)
        payments.client().v1.checkout.sessions.expire(payments.open_session().id)
        connection, _ = server.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(answer)
        wait_for(lambda: payments.get("deliveries")[0]["attempts"] == 1, what="it is noted")
    assert payments.get("deliveries")[0]["state"] == "waiting"
    payments.post("endpoint", url="", secret=WEBHOOK_SECRET)


def test_a_redirect_is_no_delivery(payments: Payments, receiver: Receiver) -> None:
    receiver.status = 302
    payments.client().v1.checkout.sessions.expire(payments.open_session().id)
    wait_for(lambda: payments.get("deliveries")[0]["outcome"] == "302", what="it is noted")
    assert payments.get("deliveries")[0]["state"] == "waiting"


def test_an_endpoint_that_fails_for_three_days_is_given_up(payments: Payments, receiver: Receiver) -> None:
    receiver.status = 503
    payments.client().v1.checkout.sessions.expire(payments.open_session().id)
    for tries in range(1, 30):
        wait_for(lambda tries=tries: payments.get("deliveries")[0]["attempts"] == tries, what=f"{tries} tries")  # type: ignore[misc]
        (delivery,) = payments.get("deliveries")
        if delivery["state"] == "failed":
            break
        payments.turn(advance_s=int(delivery["due_at"] - payments.get("knobs")["now"]) + 1)
    assert delivery["state"] == "failed"
    assert delivery["due_at"] - delivery["created_at"] > 3 * 86_400
    assert tries > 10
    assert payments.client().v1.events.list({"delivery_success": False}).data
    receiver.status = 200
    payments.post(f"deliveries/{delivery['id']}/again")
    wait_for(lambda: payments.get("deliveries")[0]["state"] == "delivered", what="it is sent again")


def test_late_events_come_when_they_are_due(payments: Payments, receiver: Receiver) -> None:
    payments.turn(webhook_delay_s=3_600)
    payments.paid_session()
    assert {row["state"] for row in payments.get("deliveries")} == {"waiting"}
    assert receiver.received == []
    payments.turn(advance_s=3_601)
    receiver.wait_for(4)


def test_doubled_events_come_twice_each(payments: Payments, receiver: Receiver) -> None:
    payments.turn(webhook_copies=2)
    payments.paid_session()
    events = receiver.wait_for(8)
    assert len({event.id for event in events}) == 4


def test_reordered_events_come_newest_first(payments: Payments, receiver: Receiver) -> None:
    payments.turn(webhook_reorder_s=1_000)
    payments.paid_session()
    payments.turn(advance_s=1_001)
    receiver.wait_for(4)
    assert receiver.types() == A_PAYMENT[::-1]


def test_events_that_are_never_sent_can_be_sent_by_hand(payments: Payments, receiver: Receiver) -> None:
    payments.turn(webhooks="never")
    payments.paid_session()
    rows = payments.get("deliveries")
    assert {row["state"] for row in rows} == {"withheld"}
    payments.turn(advance_s=10 * 86_400)
    payments.post(f"deliveries/{rows[0]['id']}/again")
    (event,) = receiver.wait_for(1)
    assert event.type == "checkout.session.completed"


def test_an_event_can_be_sent_again_after_it_was_taken(payments: Payments, receiver: Receiver) -> None:
    payments.client().v1.checkout.sessions.expire(payments.open_session().id)
    receiver.wait_for(1)
    wait_for(lambda: payments.get("deliveries")[0]["state"] == "delivered", what="it is delivered")
    (row,) = payments.get("deliveries")
    payments.post(f"deliveries/{row['id']}/again")
    first, second = receiver.wait_for(2)
    assert first.id == second.id
    with pytest.raises(HTTPError):
        payments.post("deliveries/4242/again")


def test_an_endpoint_gets_the_types_that_it_wants(payments: Payments, receiver: Receiver) -> None:
    payments.post("endpoint", url=receiver.address, enabled_events=["checkout.session.completed"])
    payments.paid_session()
    receiver.wait_for(1)
    assert [row["type"] for row in payments.get("deliveries")] == ["checkout.session.completed"]


def test_events_are_listed_by_type_and_by_pattern(payments: Payments) -> None:
    payments.paid_session()

    def types(**narrowed: Any) -> list[str]:
        return [event.type for event in payments.events(**narrowed)]

    assert types(type="charge.succeeded") == ["charge.succeeded"]
    assert types(type="payment_intent.*") == ["payment_intent.created", "payment_intent.succeeded"]
    assert types(types=["charge.succeeded", "checkout.session.completed"]) == [A_PAYMENT[1], A_PAYMENT[3]]
    assert types(created={"gt": int(time.time()) + 60}) == []


def test_events_are_forgotten_after_thirty_days(payments: Payments) -> None:
    payments.paid_session()
    (event,) = payments.events(type="charge.succeeded")
    payments.turn(advance_s=30 * 86_400 + 60)
    assert payments.events() == []
    with pytest.raises(stripe.InvalidRequestError, match="No such event"):
        payments.client().v1.events.retrieve(event.id)
