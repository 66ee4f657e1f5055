"""Push messages through the real library to a push service that decrypts, checks, refuses, hangs up or is away."""

from __future__ import annotations

import time
from typing import Any

import pytest
from py_vapid import Vapid02

from jobs.errors import PermanentError, RateLimited, TransientError
from notifications import deliver as delivering
from notifications.channels.push import send
from notifications.channels.push.compose import MOST_BYTES
from notifications.channels.push.new_key import new_key
from notifications.content import Urgency
from notifications.deliver import deliver
from notifications.errors import (
    PushIsNotSetUp,
    PushMessageTooLong,
    PushRefused,
    PushServiceBusy,
    PushServiceUnavailable,
    UnknownPushService,
    WrongChannel,
)
from notifications.models import Notification, PushSubscription
from tests.fixtures_notifications import content
from tests.fixtures_push import PushService, push_content, subscribe_browser


def row() -> Notification:
    return Notification.objects.get()


def test_a_delivered_message_is_what_the_browser_reads_and_its_row_says_sent(
    queued_push: Notification, subscribed_browser: PushSubscription, push_service: PushService
) -> None:
    deliver(
        notification_id=queued_push.pk,
        content=push_content(title="Ihre Karten · 門票 🎭", urgency=Urgency.HIGH, ttl_seconds=3600),
    )
    sent = row()
    assert (sent.status, sent.attempts, sent.last_error) == ("sent", 1, "")
    (message,) = push_service.messages(subscribed_browser.endpoint)
    assert push_service.told() == [
        {
            "title": "Ihre Karten · 門票 🎭",
            "body": "Two seats.",
            "url": "http://127.0.0.1/orders/secret/",
            "lang": "en",
            "tag": sent.idempotency_key.hex,
        }
    ]
    assert (message["state"], message["topic"]) == ("delivered", sent.idempotency_key.hex)
    assert (message["urgency"], message["ttl"]) == ("high", 3600)
    assert message["claims"]["aud"] == push_service.address
    assert message["claims"]["sub"] == "mailto:tickets@boxoffice.example"
    assert time.time() < message["claims"]["exp"] <= time.time() + 86_400


def test_delivering_again_sends_nothing(queued_push: Notification, push_service: PushService) -> None:
    for _ in range(2):
        deliver(notification_id=queued_push.pk, content=push_content())
    assert len(push_service.messages()) == 1


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_has_ended_its_subscription_is_forgotten_and_nobody_needs_to_mend_it(
    status: int, queued_push: Notification, subscribed_browser: PushSubscription, push_service: PushService
) -> None:
    browser = {
        "endpoint": subscribed_browser.endpoint,
        "keys": {"p256dh": subscribed_browser.p256dh, "auth": subscribed_browser.auth},
    }
    subscribe_browser(push_service, subject="order:OTHER", browser=browser)
    other_browser = subscribe_browser(push_service)
    push_service.turn(fail_next=1, fail_status=status)
    deliver(notification_id=queued_push.pk, content=push_content())
    assert (row().status, row().last_error) == ("suppressed", "the browser has ended this subscription")
    assert list(PushSubscription.objects.all()) == [other_browser]


def test_a_browser_that_a_subscriber_took_out_meanwhile_is_told_nothing(
    queued_push: Notification, push_service: PushService
) -> None:
    PushSubscription.objects.all().delete()
    deliver(notification_id=queued_push.pk, content=push_content())
    assert row().status == "suppressed"
    assert push_service.messages() == []


def test_a_busy_service_says_when_to_come_back(queued_push: Notification, push_service: PushService) -> None:
    push_service.turn(fail_next=1, fail_status=429, retry_after_s=17)
    with pytest.raises(PushServiceBusy, match="429") as raised:
        deliver(notification_id=queued_push.pk, content=push_content())
    assert raised.value.retry_after == 17
    deliver(notification_id=queued_push.pk, content=push_content())
    assert len(push_service.messages()) == 1


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (500, PushServiceUnavailable),
        (502, PushServiceUnavailable),
        (503, PushServiceUnavailable),
        (400, PushRefused),
        (401, PushRefused),
        (403, PushRefused),
        (413, PushRefused),
    ],
)
def test_what_may_heal_is_tried_again_and_what_cannot_is_not(
    status: int,
    meaning: type[Exception],
    queued_push: Notification,
    subscribed_browser: PushSubscription,
    push_service: PushService,
) -> None:
    push_service.turn(fail_next=1, fail_status=status)
    with pytest.raises(meaning, match=str(status)) as raised:
        deliver(notification_id=queued_push.pk, content=push_content())
    assert (row().status, row().last_error) == ("queued", str(raised.value))
    subscribed_browser.refresh_from_db()
    assert subscribed_browser.last_error == (str(raised.value) if meaning is PushRefused else "")
    deliver(notification_id=queued_push.pk, content=push_content())
    subscribed_browser.refresh_from_db()
    assert subscribed_browser.last_error == ""


def test_a_service_that_hangs_up_or_is_silent_may_come_back(
    queued_push: Notification, push_service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_service.turn(outage=True)
    with pytest.raises(PushServiceUnavailable):
        deliver(notification_id=queued_push.pk, content=push_content())
    push_service.turn(outage=False, latency_ms=1500)
    monkeypatch.setattr(send, "TIMEOUT", 0.2)
    with pytest.raises(PushServiceUnavailable):
        deliver(notification_id=queued_push.pk, content=push_content())


def test_a_redirect_is_not_followed(queued_push: Notification, push_service: PushService) -> None:
    push_service.turn(fail_next=1, fail_status=307)
    with pytest.raises(PushRefused, match="307"):
        deliver(notification_id=queued_push.pk, content=push_content())
    assert push_service.get("knobs")["followed_redirects"] == 0


def test_a_message_that_is_too_long_is_refused_before_it_is_sent_and_the_longest_arrives(
    queued_push: Notification, push_service: PushService
) -> None:
    with pytest.raises(PushMessageTooLong):
        deliver(notification_id=queued_push.pk, content=push_content(body="x" * MOST_BYTES))
    around = len(b'{"title":"","body":"","url":"","lang":"en","tag":"') + 32 + len(b'"}')
    longest = push_content(title="", url="", body="x" * (MOST_BYTES - around))
    deliver(notification_id=queued_push.pk, content=longest)
    (told,) = push_service.told()
    assert told["body"] == longest.body


def test_no_error_quotes_the_address_of_a_browser(
    queued_push: Notification, subscribed_browser: PushSubscription, push_service: PushService
) -> None:
    secret = subscribed_browser.endpoint.rpartition("/")[2]
    for knobs in ({"outage": True}, {"outage": False, "fail_next": 1, "fail_status": 500}):
        push_service.turn(**knobs)
        with pytest.raises(TransientError) as raised:
            deliver(notification_id=queued_push.pk, content=push_content())
        assert secret not in f"{raised.value} {row().last_error}"
        assert raised.value.__suppress_context__


def test_a_crash_between_the_call_and_its_record_shows_one_notification(
    queued_push: Notification, push_service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second message has the tag of the first, which a browser replaces, and its topic, which the service does."""

    class Killed(BaseException):
        """Nothing catches it, as nothing catches SIGKILL."""

    def die() -> Any:
        raise Killed

    push_service.turn(offline=True)
    with monkeypatch.context() as patched:
        patched.setattr(delivering, "record", die)
        with pytest.raises(Killed):
            deliver(notification_id=queued_push.pk, content=push_content())
    assert row().status == "queued"
    deliver(notification_id=queued_push.pk, content=push_content())
    assert (row().status, row().attempts) == ("sent", 2)
    push_service.turn(offline=False)
    first, second = push_service.messages()
    assert (first["state"], second["state"]) == ("replaced", "delivered")
    assert first["topic"] == second["topic"]
    assert push_service.told()[0]["tag"] == push_service.told()[1]["tag"]


def test_a_lost_answer_repeats_the_message_with_its_tag(queued_push: Notification, push_service: PushService) -> None:
    push_service.turn(lose_answers=1)
    with pytest.raises(PushServiceUnavailable):
        deliver(notification_id=queued_push.pk, content=push_content())
    deliver(notification_id=queued_push.pk, content=push_content())
    assert len({told["tag"] for told in push_service.told()}) == 1
    assert len(push_service.messages()) == 2


def test_another_key_than_the_browser_subscribed_with_is_refused(
    queued_push: Notification, push_service: PushService, settings: Any
) -> None:
    settings.VAPID_PRIVATE_KEY = new_key()
    with pytest.raises(PushRefused, match="another key"):
        deliver(notification_id=queued_push.pk, content=push_content())


def test_without_a_key_nothing_is_sent(queued_push: Notification, push_service: PushService, settings: Any) -> None:
    settings.VAPID_PRIVATE_KEY = ""
    with pytest.raises(PushIsNotSetUp):
        deliver(notification_id=queued_push.pk, content=push_content())


def test_a_service_that_is_listed_no_more_is_not_asked(
    queued_push: Notification, push_service: PushService, settings: Any
) -> None:
    settings.PUSH_SERVICES = ["fcm.googleapis.com"]
    with pytest.raises(UnknownPushService):
        deliver(notification_id=queued_push.pk, content=push_content())
    assert push_service.messages() == []


def test_a_mail_is_not_sent_to_a_browser(queued_push: Notification, push_service: PushService) -> None:
    with pytest.raises(WrongChannel):
        deliver(notification_id=queued_push.pk, content=content())


def test_the_classes_are_those_that_the_ledger_knows() -> None:
    assert issubclass(PushServiceUnavailable, TransientError)
    assert issubclass(PushServiceBusy, RateLimited)
    assert issubclass(PushRefused, PermanentError)


def test_a_drawn_key_is_one_that_the_library_reads() -> None:
    assert Vapid02.from_raw(new_key().encode()).public_key is not None
