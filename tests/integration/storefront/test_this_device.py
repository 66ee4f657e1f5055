"""The switch of an order's page, as scripts speak to it."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.test import Client

from boxoffice.models import Order
from boxoffice.storefront.order_push import ICON
from notifications.models import PushSubscription
from tests.fixtures_boxoffice import statements
from tests.fixtures_push import PushService


def ask(client: Client, order: Order, method: str, body: Any, **given: Any) -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    options = {"content_type": "application/json", **given}
    return getattr(client, method)(f"/orders/{order.token}/push/", content, **options)


def is_on(client: Client, order: Order, browser: dict[str, Any]) -> bool:
    digest = sha256(browser["endpoint"].encode()).hexdigest()
    return client.get(f"/orders/{order.token}/push/", {"device": digest}).json()["on"]


@pytest.mark.django_db
def test_a_device_is_told_once_it_is_switched_on_and_no_more_once_it_is_off(
    confirmed_order: Order, push_service: PushService
) -> None:
    client = Client(enforce_csrf_checks=True, headers={"accept-language": "de"})
    browser = push_service.new_browser()
    assert not is_on(client, confirmed_order, browser)
    for _ in range(2):
        answer = ask(client, confirmed_order, "post", browser)
        assert (answer.status_code, answer.json()) == (200, {"on": True})
    row = PushSubscription.objects.get()
    assert (row.subject, row.language, row.endpoint) == (confirmed_order.subject, "de", browser["endpoint"])
    assert is_on(client, confirmed_order, browser)
    assert not is_on(client, confirmed_order, push_service.new_browser())
    for _ in range(2):
        answer = ask(client, confirmed_order, "delete", {"endpoint": browser["endpoint"]})
        assert (answer.status_code, answer.json()) == (200, {"on": False})
    assert not PushSubscription.objects.exists()
    assert answer["Cache-Control"] == "no-store, private"
    assert answer["Referrer-Policy"] == "no-referrer"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "endpoint",
    ["http://127.0.0.1:6379/x", "https://169.254.169.254/latest", "https://fcm.googleapis.com@evil.example/"],
)
def test_an_address_of_no_push_service_is_refused_in_words_for_its_fan(
    endpoint: str, client: Client, confirmed_order: Order, push_service: PushService
) -> None:
    answer = ask(client, confirmed_order, "post", {**push_service.new_browser(), "endpoint": endpoint})
    assert answer.status_code == 422
    assert "The e-mail comes anyway" in answer.json()["words"]
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 4000,
        b'{"endpoint": "x"}',
        b'{"endpoint": 1, "keys": {"p256dh": "a", "auth": "b"}}',
        b'{"endpoint": "x", "keys": {"p256dh": "a", "auth": ["b"]}}',
        b'{"endpoint": "x\\u0000", "keys": {"p256dh": "a", "auth": "b"}}',
        b'{"endpoint": "' + b"x" * 5000 + b'"}',
    ],
)
def test_what_arrives_damaged_changes_nothing(body: bytes, client: Client, confirmed_order: Order) -> None:
    assert ask(client, confirmed_order, "post", body).status_code == 400
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db
def test_another_sites_form_and_a_wrong_secret_change_nothing(
    client: Client, confirmed_order: Order, push_service: PushService
) -> None:
    browser = push_service.new_browser()
    assert ask(client, confirmed_order, "post", browser, content_type="text/plain").status_code == 400
    answer = client.post("/orders/wrong/push/", json.dumps(browser), content_type="application/json")
    assert answer.status_code == 404
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db
def test_the_switch_costs_the_page_no_query_and_is_offered_for_what_was_sold_alone(
    client: Client, placed_order: Order, settings: Any
) -> None:
    def page() -> str:
        with statements() as seen:
            text = client.get(f"/orders/{placed_order.token}/").content.decode()
        assert not [sql for sql in seen if "pushsubscription" in sql]
        return text

    assert "this-device" not in page()
    Order.objects.filter(pk=placed_order.pk).update(status="confirmed", confirmed_at="2026-11-30T12:00Z")
    text = page()
    assert 'id="this-device"' in text
    assert "Tell this device when the tickets are there" in text
    settings.VAPID_PRIVATE_KEY = ""
    assert "this-device" not in page()


def test_the_worker_may_speak_for_all_order_pages_and_is_fetched_anew(client: Client) -> None:
    answer = client.get("/orders/push-worker.js")
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer["Cache-Control"] == "no-cache"
    assert b"showNotification" in answer.content


def test_a_message_has_the_picture_of_the_box_office_beside_it(client: Client) -> None:
    script = client.get("/orders/push-worker.js").content.decode()
    (address,) = re.findall(r'^const ICON = "(.+)";$', script, re.MULTILINE)
    assert "icon: ICON" in script
    assert static(ICON) == address
    found = finders.find(ICON)
    assert found
    assert Path(found).read_bytes().startswith(b"\x89PNG")
