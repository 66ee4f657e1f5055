"""Browsers that subscribe: whose address and keys are taken, and how many of a subject."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection

from notifications.channels.push import subscribe as subscribing
from notifications.channels.push.subscribe import MOST_OF_A_SUBJECT, subscribe, unsubscribe
from notifications.errors import UnfitSubscription, UnknownPushService
from notifications.models import PushSubscription
from tests.fixtures_push import PushService, subscribe_browser


@pytest.mark.django_db
def test_the_same_browser_again_keeps_its_place_and_brings_its_new_keys(push_service: PushService) -> None:
    first = subscribe_browser(push_service)
    PushSubscription.objects.update(last_error="it was refused")
    browser = {"endpoint": first.endpoint, "keys": push_service.new_browser()["keys"]}
    again = subscribe_browser(push_service, browser=browser, language="de")
    assert (again.pk, again.language, again.last_error) == (first.pk, "de", "")
    assert again.p256dh == browser["keys"]["p256dh"]
    assert PushSubscription.objects.count() == 1


@pytest.mark.django_db
def test_one_subject_has_so_many_browsers_and_the_oldest_gives_way(push_service: PushService) -> None:
    browsers = [subscribe_browser(push_service) for _ in range(MOST_OF_A_SUBJECT + 2)]
    other = subscribe_browser(push_service, subject="order:OTHER")
    kept = PushSubscription.objects.filter(subject="order:ABC").order_by("pk")
    assert [browser.pk for browser in kept] == [browser.pk for browser in browsers[2:]]
    assert PushSubscription.objects.filter(pk=other.pk).exists()


@pytest.mark.django_db
def test_the_oldest_that_subscribes_again_is_the_one_that_stays(push_service: PushService) -> None:
    first, *_others = [subscribe_browser(push_service) for _ in range(MOST_OF_A_SUBJECT)]
    browser = {"endpoint": first.endpoint, "keys": {"p256dh": first.p256dh, "auth": first.auth}}
    subscribe_browser(push_service, browser=browser)
    assert PushSubscription.objects.filter(pk=first.pk).exists()
    assert PushSubscription.objects.count() == MOST_OF_A_SUBJECT


@pytest.mark.django_db(transaction=True)
def test_browsers_that_subscribe_at_once_are_no_more_than_that(
    push_service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscribing, "MOST_OF_A_SUBJECT", 2)
    browsers = [push_service.new_browser() for _ in range(6)]
    barrier = threading.Barrier(len(browsers))

    def one(browser: dict[str, Any]) -> None:
        try:
            barrier.wait(timeout=10)
            subscribe_browser(push_service, browser=browser)
        except PushSubscription.DoesNotExist:
            pass  # it gave way already
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=[browser]) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert PushSubscription.objects.count() == 2


@pytest.mark.django_db
def test_unsubscribing_ends_what_is_told_of_this_subject_alone(push_service: PushService) -> None:
    first = subscribe_browser(push_service)
    browser = {"endpoint": first.endpoint, "keys": {"p256dh": first.p256dh, "auth": first.auth}}
    other = subscribe_browser(push_service, subject="order:OTHER", browser=browser)
    assert unsubscribe(subject="order:ABC", endpoint=first.endpoint)
    assert not unsubscribe(subject="order:ABC", endpoint=first.endpoint)
    assert list(PushSubscription.objects.all()) == [other]


@pytest.mark.django_db
def test_an_address_of_no_push_service_is_refused_with_what_is_wrong(push_service: PushService) -> None:
    keys = push_service.new_browser()["keys"]
    with pytest.raises(UnknownPushService, match="PUSH_SERVICES"):
        subscribe(subject="order:ABC", endpoint="http://169.254.169.254/latest", language="en", **keys)
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "changes",
    [
        {"auth": ""},
        {"auth": "AAAA"},
        {"auth": "AAAAAAAAAAAAAAAAAAAAAA=="},
        {"auth": "A" * 23},
        {"auth": "ä" * 22},
        {"p256dh": ""},
        {"p256dh": "A" * 87},
        {"p256dh": "B" + "A" * 86},
        {"p256dh": "\x00"},
    ],
)
def test_keys_that_nothing_can_be_encrypted_with_are_refused(
    changes: dict[str, str], push_service: PushService
) -> None:
    browser = push_service.new_browser()
    with pytest.raises(UnfitSubscription):
        subscribe(subject="order:ABC", endpoint=browser["endpoint"], language="en", **{**browser["keys"], **changes})
