"""Events of the provider: signed ones are stored once and understood, all others leave nothing."""

from __future__ import annotations

import json
import socket
import time
from datetime import timedelta
from typing import Any

import pytest
import stripe
import structlog
from django.db import transaction
from django.test import Client

from boxoffice.models import Payment, ProviderEvent
from boxoffice.payments.prune_events import prune_events
from boxoffice.payments.receive_event import QUERIES_TO_RECEIVE
from jobs.clock import database_now
from jobs.models import Job
from tests.fixtures_boxoffice import statements
from tests.fixtures_payments import Payments, Receiver
from tests.fixtures_purchases import pay
from tests.paid_orders import completed, hook, run_job, sold_once
from tests.payment_keys import WEBHOOK_SECRET

pytestmark = pytest.mark.django_db


def test_a_doubled_and_an_old_event_is_stored_once(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    body = completed(paid_house)
    assert [hook(client, body) for _ in range(3)] == [204, 204, 204]
    assert ProviderEvent.objects.count() == 1
    assert Job.objects.filter(task="boxoffice.settle_payment").count() == 1


def test_an_event_of_a_type_that_we_do_not_know_is_taken_and_ignored(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    jobs = Job.objects.count()
    assert hook(client, completed(paid_house, "payment_intent.succeeded")) == 204
    assert (ProviderEvent.objects.count(), Job.objects.count()) == (1, jobs)


@pytest.mark.parametrize(
    "fault", ["another secret", "too old", "no signature", "letters in the signature", "another body", "not JSON"]
)
def test_a_forged_event_is_refused_and_leaves_nothing(
    client: Client, started_payment: Payment, paid_house: Payments, fault: str
) -> None:
    pay(paid_house, started_payment)
    body = completed(paid_house)
    if fault == "another secret":
        status = hook(client, body, secret="whsec_of_somebody")
    elif fault == "too old":
        status = hook(client, body, age=400)
    elif fault == "no signature":
        status = client.post("/webhooks/stripe/", body, content_type="application/json").status_code
    elif fault == "letters in the signature":
        headers = {"Stripe-Signature": f"t={int(time.time())},v1=é"}
        status = client.post("/webhooks/stripe/", body, content_type="application/json", headers=headers).status_code
    elif fault == "another body":
        headers = {"Stripe-Signature": provider_signature(body)}
        status = client.post(
            "/webhooks/stripe/", body + b" ", content_type="application/json", headers=headers
        ).status_code
    else:
        status = hook(client, b"[1")
    assert status == 400
    assert not ProviderEvent.objects.exists()


@pytest.mark.parametrize(
    "fault",
    [
        {"id": "evt_\x00"},
        {"id": "evt_" + "x" * 252},
        {"id": {"evt": 1}},
        {"type": "checkout.session.completed\x00"},
        {"object": {"metadata": "payment"}},
        {"type": "refund.updated", "object": {"status": "succeeded", "metadata": "refund"}},
        {"type": "refund.updated", "object": {"id": "re_\x00"}},
    ],
    ids=lambda fault: repr(fault)[:60],
)
def test_what_the_provider_signed_and_makes_no_sense_is_logged_and_not_asked_for_again(
    client: Client, db: None, fault: dict[str, Any]
) -> None:
    told = {"object": "event", "id": "evt_1", "type": "checkout.session.completed"} | fault
    event = told | {"object": "event", "data": {"object": fault.get("object", {"metadata": {}})}}
    with structlog.testing.capture_logs() as logs:
        assert hook(client, json.dumps(event).encode()) == 204
    assert [line["event"] for line in logs] == ["malformed_event"]
    assert not ProviderEvent.objects.exists()


@pytest.mark.parametrize("given", ["x" * 500, "\x00", "two words", "", 7, {"a": 1}], ids=lambda given: repr(given)[:12])
@pytest.mark.parametrize("type", ["checkout.session.completed", "refund.updated"])
def test_what_others_on_the_same_account_give_along_is_ignored_without_a_word(
    client: Client, db: None, type: str, given: object
) -> None:
    about = {"id": "re_1", "status": "succeeded", "metadata": {"payment": given, "refund": given}}
    event = {"object": "event", "id": "evt_1", "type": type, "data": {"object": about}}
    with structlog.testing.capture_logs() as logs:
        assert hook(client, json.dumps(event).encode()) == 204
    assert "malformed_event" not in {line["event"] for line in logs}
    assert ProviderEvent.objects.get().event_id == "evt_1"


def provider_signature(body: bytes) -> str:
    at = int(time.time())
    return f"t={at},v1={stripe.WebhookSignature._compute_signature(f'{at}.{body.decode()}', WEBHOOK_SECRET)}"


def test_a_webhook_takes_three_queries_and_asks_nobody_but_postgresql(
    client: Client, started_payment: Payment, paid_house: Payments, monkeypatch: pytest.MonkeyPatch
) -> None:
    """libpq has sockets of its own; whatever else a process talks to goes through Python's."""
    pay(paid_house, started_payment)
    body, other = completed(paid_house), completed(paid_house, "payment_intent.succeeded")
    asked: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: asked.append(address))
    with statements() as queries:
        assert hook(client, body) == 204
    assert len(queries) == QUERIES_TO_RECEIVE, "\n".join(queries)
    for known_or_of_no_interest in (body, other):
        with statements() as queries:
            assert hook(client, known_or_of_no_interest) == 204
        assert len(queries) == 1, "\n".join(queries)
    assert asked == []


def test_a_webhook_that_is_too_long_or_no_post_is_refused(client: Client) -> None:
    assert client.post("/webhooks/stripe/", b"x" * 300_000, content_type="application/json").status_code == 413
    assert client.get("/webhooks/stripe/").status_code == 405
    assert Client(enforce_csrf_checks=True).post("/webhooks/stripe/", b"{}", "application/json").status_code == 400


def test_old_events_are_forgotten_at_night(db: None) -> None:
    for days in (2, 8):
        event = ProviderEvent.objects.create(event_id=f"evt_{days}", type="x")
        ProviderEvent.objects.filter(pk=event.pk).update(received_at=database_now() - timedelta(days=days))
    with transaction.atomic():
        assert prune_events() == 1
    assert ProviderEvent.objects.get().event_id == "evt_2"


def test_the_stand_ins_own_webhooks_are_understood(
    client: Client, started_payment: Payment, receiver: Receiver, paid_house: Payments
) -> None:
    paid_house.turn(webhook_copies=2, webhook_reorder_s=0.2)
    pay(paid_house, started_payment)
    receiver.wait_for(8)
    for body, signature in receiver.received:
        headers = {"Stripe-Signature": signature}
        answer = client.post("/webhooks/stripe/", body, content_type="application/json", headers=headers)
        assert answer.status_code == 204
    run_job()
    assert sold_once(started_payment.order)
