"""What the ESP tells of mails, in whatever order, and what it means for the next ones."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from notifications import transitions
from notifications.deliver import deliver
from notifications.feedback.prune_events import prune_mail_events
from notifications.models import MailEvent, Notification, Suppression
from notifications.suppression.lift_suppression import lift_suppression
from notifications.suppression.suppress_address import suppress_address
from sandbox.esp.deliver import signature
from sandbox.esp.events import event_of
from tests.fixtures_clock import Clock
from tests.fixtures_esp import ESP_WEBHOOK_SECRET, Esp
from tests.fixtures_notifications import MailServer, content

pytestmark = pytest.mark.django_db(transaction=True)

Tell = Callable[..., int]


@pytest.fixture
def tell(client: Client, settings: Any) -> Tell:
    """Posts the event of a notification as the ESP does, and returns the status of the answer."""
    settings.MAIL_WEBHOOK_SECRET = ESP_WEBHOOK_SECRET
    numbers = itertools.count()

    def _tell(happening: str, notification: Notification | None = None, **given: Any) -> int:
        record = {"email_id": "e1", "to": ["ada@example.org"], "tags": {}, **given.pop("record", {})}
        if notification is not None:
            record["tags"] = {"notification": str(notification.idempotency_key)}
        body = given.get("body") or json.dumps(event_of(record, happening)).encode()
        id, at = given.get("id", f"msg_{next(numbers)}"), int(given.get("at", time.time()))
        signed = signature(body, id=id, at=at, secret=given.get("secret", ESP_WEBHOOK_SECRET))
        headers = {
            "svix-id": id,
            "svix-timestamp": str(at),
            "svix-signature": given.get("signature", signed),
        }
        return client.post("/webhooks/mail/", body, content_type="application/json", headers=headers).status_code

    return _tell


@pytest.fixture
def sent_notification(queued_notification: Notification) -> Notification:
    transitions.mark_sent(notification_id=queued_notification.pk, provider_id="e1")
    return queued_notification


def status() -> str:
    return Notification.objects.get().status


ENDS = {
    ("sent", "delivered"): "delivered",
    ("delivered", "bounced"): "bounced",
    ("delivered", "bounced softly"): "bounced",
    ("sent", "delivered", "complained"): "complained",
    ("bounced", "complained"): "complained",
    ("suppressed",): "bounced",
}


def test_events_in_any_order_twice_or_early_end_the_same(tell: Tell, plan_news: Callable[..., Notification]) -> None:
    numbers = itertools.count()
    for (happenings, ends), before in itertools.product(ENDS.items(), ["queued", "sent", "failed"]):
        for order in itertools.permutations(happenings):
            notification = plan_news(occurrence=str(next(numbers)))
            if before == "sent":
                transitions.mark_sent(notification_id=notification.pk)
            elif before == "failed":
                transitions.mark_failed(notification_id=notification.pk)
            for happening in (*order, *order):
                assert tell(happening, notification) == 204
            notification.refresh_from_db()
            assert (notification.status, notification.sent_at is None) == (ends, False), (before, order)


def test_a_mail_that_was_delivered_is_not_sent_again_though_its_job_died_before_it_could_record(
    tell: Tell, queued_notification: Notification, esp: Esp
) -> None:
    tell("delivered", queued_notification)
    deliver(notification_id=queued_notification.pk, content=content())
    assert esp.outcomes() == {}
    assert status() == "delivered"


def test_a_suppressed_notification_was_never_sent_and_stays(tell: Tell, queued_notification: Notification) -> None:
    transitions.mark_suppressed(notification_id=queued_notification.pk, reason="not so any more")
    assert tell("delivered", queued_notification) == 204
    assert status() == "suppressed"


def test_an_event_without_our_key_finds_its_mail_by_the_id_of_the_esp(
    tell: Tell, sent_notification: Notification
) -> None:
    assert tell("delivered") == 204
    assert status() == "delivered"


def test_an_event_is_stored_once_however_often_it_is_sent(tell: Tell, sent_notification: Notification) -> None:
    for _ in range(3):
        assert tell("delivered", sent_notification, id="msg_same") == 204
    event = MailEvent.objects.get()
    assert (event.event_id, event.type, event.notification_id) == (
        "msg_same",
        "email.delivered",
        sent_notification.pk,
    )


def test_an_event_about_a_mail_of_somebody_else_is_taken_and_changes_nothing(
    tell: Tell, sent_notification: Notification
) -> None:
    for record in (
        {"email_id": "another"},
        {"email_id": ""},
        {"email_id": None, "tags": {"notification": "no uuid"}},
        {"email_id": "x", "tags": {"notification": "00000000-0000-0000-0000-000000000000"}},
        {"email_id": "x", "tags": []},
    ):
        assert tell("bounced", record=record) == 204
    assert status() == "sent"
    assert not MailEvent.objects.exists()
    assert not Suppression.objects.exists()


def test_what_is_signed_and_of_no_known_shape_is_taken_since_sending_it_again_would_not_help(tell: Tell) -> None:
    for body in (b"[]", b"no json", b'{"type": 1}', b'"text"', b'{"type": "email.bounced", "data": null}', b"\xff\xfe"):
        assert tell("", body=body) == (400 if body == b"\xff\xfe" else 204)
    for body in (b"[" * 60_000, b'{"a":' * 40_000, b'{"type": "email.bounced", "data": {"email_id": "\\u0000"}}'):
        assert tell("", body=body) == 204


@pytest.mark.parametrize("mark", ["\x00", "\ud800"])
def test_a_bounce_whose_words_postgresql_cannot_keep_is_written_down_without_them(
    mark: str, tell: Tell, sent_notification: Notification
) -> None:
    event = event_of({"email_id": "e1", "to": ["ada@example.org"]}, "bounced")
    event["data"]["bounce"] = {**event["data"]["bounce"], "message": f"no such{mark} user"}
    assert tell("", body=json.dumps(event).encode()) == 204
    bounced = Notification.objects.get()
    assert (bounced.status, bounced.last_error.replace("?", "")) == ("bounced", "no such user")
    assert Suppression.objects.get().detail == bounced.last_error


def test_an_event_that_the_esp_did_not_sign_just_now_changes_nothing(
    tell: Tell, sent_notification: Notification
) -> None:
    for given in (
        {"secret": "whsec_b3RoZXIgc2VjcmV0"},
        {"at": 1_000_000_000},
        {"at": 4_000_000_000},
        {"signature": ""},
        {"signature": "v1"},
        {"signature": "v1,###"},
        {"signature": "v1a,AAAA v2,BBBB"},
        {"id": ""},
    ):
        assert tell("bounced", sent_notification, **given) == 400, given
    assert status() == "sent"
    assert not MailEvent.objects.exists()


def test_without_a_secret_no_event_is_believed(tell: Tell, sent_notification: Notification, settings: Any) -> None:
    settings.MAIL_WEBHOOK_SECRET = ""
    assert tell("bounced", sent_notification) == 400


def test_an_endless_event_is_not_read(tell: Tell) -> None:
    assert tell("", body=b"x" * (256 * 1024 + 1)) == 413


def test_a_production_with_an_esp_and_without_a_secret_is_found_by_the_deploy_check(settings: Any) -> None:
    settings.MAIL_PROVIDER, settings.MAIL_WEBHOOK_SECRET = "resend", ""
    assert "notifications.E001" in [problem.id for problem in run_checks(include_deployment_checks=True)]
    settings.MAIL_WEBHOOK_SECRET = ESP_WEBHOOK_SECRET
    assert "notifications.E001" not in [problem.id for problem in run_checks(include_deployment_checks=True)]


def test_an_event_costs_a_handful_of_statements(tell: Tell, sent_notification: Notification) -> None:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        tell("bounced", sent_notification)
    told = [query["sql"] for query in seen if not query["sql"].startswith(("BEGIN", "COMMIT"))]
    assert len(told) == 4, told


def test_a_hard_bounce_suppresses_bulk_mail_to_the_address_and_lets_tickets_through(
    tell: Tell, sent_notification: Notification, plan_news: Callable[..., Notification], esp: Esp
) -> None:
    tell("bounced", sent_notification)
    suppression = Suppression.objects.get()
    assert (suppression.address, suppression.reason) == ("ada@example.org", "bounced")
    assert "hard bounce" in suppression.detail
    bulk, urgent = plan_news(occurrence="bulk", recipient="Ada@Example.org"), plan_news(occurrence="urgent")
    deliver(notification_id=bulk.pk, content=content(), urgent=False)
    deliver(notification_id=urgent.pk, content=content(), urgent=True)
    bulk.refresh_from_db(), urgent.refresh_from_db()
    assert (bulk.status, bulk.last_error) == ("suppressed", "an earlier mail to this address came back for good")
    assert urgent.status == "sent"
    assert esp.outcomes() == {"taken": 1}


def test_a_soft_bounce_suppresses_nothing(tell: Tell, sent_notification: Notification) -> None:
    tell("bounced softly", sent_notification)
    assert status() == "bounced"
    assert "inbox was full" in Notification.objects.get().last_error
    assert not Suppression.objects.exists()


def test_a_complaint_suppresses_bulk_mail_by_whatever_provider(
    tell: Tell, sent_notification: Notification, plan_news: Callable[..., Notification], mail_server: MailServer
) -> None:
    tell("complained", sent_notification)
    bulk = plan_news(occurrence="bulk")
    deliver(notification_id=bulk.pk, content=content(), urgent=False)
    bulk.refresh_from_db()
    assert bulk.status == "suppressed"
    assert mail_server.messages() == []


def test_two_reasons_make_one_suppression_and_lifting_it_opens_the_way_and_keeps_who_did_it(
    tell: Tell, sent_notification: Notification, plan_news: Callable[..., Notification], esp: Esp
) -> None:
    tell("bounced", sent_notification)
    tell("complained", sent_notification)
    assert lift_suppression(address="ADA@example.org ", by="maria", reason="called, the mailbox works again")
    assert not lift_suppression(address="ada@example.org", by="maria", reason="again")
    lifted = Suppression.objects.get()
    assert (lifted.lifted_by, lifted.lifted_reason) == ("maria", "called, the mailbox works again")
    assert lifted.lifted_at is not None
    bulk = plan_news(occurrence="bulk")
    deliver(notification_id=bulk.pk, content=content(), urgent=False)
    assert esp.outcomes() == {"taken": 1}
    given = {"address": "ada@example.org", "reason": "bounced", "detail": "", "notification_id": bulk.pk}
    assert suppress_address(**given)
    assert not suppress_address(**given)
    assert Suppression.objects.count() == 2


def test_the_esp_itself_tells_over_http_what_became_of_a_mail(
    esp: Esp, live_server: Any, plan_news: Callable[..., Notification]
) -> None:
    esp.send_events_to(f"{live_server.url}/webhooks/mail/")
    ends = {"ada@example.org": "delivered", "bounce@example.org": "bounced", "complain@example.org": "complained"}
    for address in ends:
        notification = plan_news(recipient=address)
        deliver(notification_id=notification.pk, content=content(to_address=address))
    deadline = time.monotonic() + 20
    while dict(Notification.objects.values_list("recipient", "status")) != ends:
        assert time.monotonic() < deadline, esp.events()
        time.sleep(0.05)
    assert set(Suppression.objects.values_list("address", "reason")) == {
        ("bounce@example.org", "bounced"),
        ("complain@example.org", "complained"),
    }
    while {event["outcome"] for event in esp.events()} != {"204"}:
        assert time.monotonic() < deadline, esp.events()
        time.sleep(0.05)


def test_events_are_forgotten_when_the_esp_does_not_send_them_any_more(
    tell: Tell, sent_notification: Notification, clock: Clock
) -> None:
    tell("sent", sent_notification, id="msg_old")
    clock.advance(timedelta(days=8))
    tell("delivered", sent_notification, id="msg_new")
    assert prune_mail_events() == 1
    assert [event.event_id for event in MailEvent.objects.all()] == ["msg_new"]


def test_a_complaint_about_a_mail_whose_address_was_erased_suppresses_the_address_that_it_names(
    tell: Tell, sent_notification: Notification
) -> None:
    Notification.objects.update(recipient="erased:0123")
    tell("complained", sent_notification, record={"to": ["Eva@example.org"]})
    assert Suppression.objects.get().address == "eva@example.org"
