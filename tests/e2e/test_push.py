"""The switch of an order's page in a browser, and what it shows when a message comes.

Headless Chromium has no push service. Its subscription is the stand-in's, which keeps what arrives; that is handed to
the browser over the debugging protocol, as its own service would.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from playwright.sync_api import CDPSession, Page, expect

from boxoffice.models import Order
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.write_push import write_and_push
from notifications.models import Notification, PushSubscription
from tests.fixtures_push import PushService
from tests.fixtures_storefront import Visit, Visiting
from tests.processes import wait_for
from tickets.issue_tickets import issue_tickets

pytestmark = pytest.mark.browser

# What the browser of a fan would get from the push service of its maker.
SUBSCRIBE = """
((subscription) => {
  const made = {
    endpoint: subscription.endpoint, options: {}, toJSON: () => subscription, unsubscribe: async () => true,
  };
  PushManager.prototype.getSubscription = async () => sessionStorage.getItem("subscribed") ? made : null;
  PushManager.prototype.subscribe = async (options) => {
    if (!options.userVisibleOnly || options.applicationServerKey.length !== 65) throw new Error("wrong options");
    sessionStorage.setItem("subscribed", "yes");
    return made;
  };
})(SUBSCRIPTION);
"""

WORDS, SWITCH = "#this-device p", "#this-device button"


@pytest.fixture
def push_site(
    monkeypatch: pytest.MonkeyPatch, push_service: PushService, request: pytest.FixtureRequest, settings: Any
) -> str:
    """A web server that sends to the stand-in alone."""
    monkeypatch.setenv("PUSH_SERVICES", push_service.address)
    settings.PUBLIC_URL = f"http://127.0.0.1:{request.getfixturevalue('web_port')}"
    return settings.PUBLIC_URL


@pytest.fixture
def elsewhere() -> Iterator[Callable[..., Any]]:
    """Runs a function in a thread of its own: while a browser is open, this one may not query."""
    with ThreadPoolExecutor(1) as threads:

        def run(function: Callable[..., Any], *arguments: Any) -> Any:
            return threads.submit(function, *arguments).result(timeout=30)

        yield run
        run(lambda: connection.close())


def tell(order_id: int) -> None:
    with transaction.atomic():
        plan_tickets_mail(order_id=order_id)
    for row in Notification.objects.filter(channel=Notification.Channel.PUSH, status="queued"):
        write_and_push(notification_id=row.pk)


class Browser:
    """The debugging protocol's view of a page's service worker."""

    def __init__(self, visit: Visit) -> None:
        self.page = visit.page
        self.registrations: list[dict[str, Any]] = []
        self.session: CDPSession = visit.context.new_cdp_session(visit.page)
        self.session.on(
            "ServiceWorker.workerRegistrationUpdated", lambda event: self.registrations.extend(event["registrations"])
        )
        self.session.send("ServiceWorker.enable")

    def deliver(self, origin: str, text: str) -> None:
        registration = next(known for known in self.registrations if known["scopeURL"] == f"{origin}/orders/")
        self.session.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": origin, "registrationId": registration["registrationId"], "data": text},
        )

    def shown(self) -> list[dict[str, Any]]:
        return self.page.evaluate(
            """async () => {
              const registration = await navigator.serviceWorker.getRegistration("/orders/");
              const shown = await registration.getNotifications();
              return shown.map(({ title, tag, data, icon }) => ({ title, tag, data, icon }));
            }"""
        )


def visit_order(visit: Visit, site: str, order: Order, subscription: dict[str, Any]) -> Page:
    visit.page.add_init_script(SUBSCRIBE.replace("SUBSCRIPTION", json.dumps(subscription)))
    visit.page.goto(f"{site}/orders/{order.token}/")
    return visit.page


@pytest.mark.django_db(transaction=True)
def test_a_device_that_is_switched_on_shows_the_message_once_and_leads_to_the_order(
    order_with_tickets: Order,
    push_site: str,
    push_service: PushService,
    visiting: Visiting,
    elsewhere: Callable[..., Any],
) -> None:
    subscription = push_service.new_browser()
    address = f"{push_site}/orders/{order_with_tickets.token}/"
    with visiting(whole=True) as visit:
        visit.context.grant_permissions(["notifications"], origin=push_site)
        browser = Browser(visit)
        page = visit_order(visit, push_site, order_with_tickets, subscription)
        expect(page.locator(SWITCH)).to_have_text("Tell this device of changes")
        page.locator(SWITCH).click()
        expect(page.locator(WORDS)).to_have_text("On: it tells you when there is news of this order.")
        page.reload()
        expect(page.locator(WORDS)).to_have_text("On: it tells you when there is news of this order.")

        elsewhere(tell, order_with_tickets.pk)
        (message,) = push_service.messages(subscription["endpoint"])
        wait_for(lambda: page.evaluate("1") and browser.registrations, what="the worker is known")
        for _again in range(2):
            browser.deliver(push_site, message["text"])
        wait_for(lambda: len(browser.shown()) == 1, what="the notification is shown")
        (shown,) = browser.shown()
        assert shown["title"] == "Your 2 tickets are there"
        assert shown["tag"] == message["topic"]
        assert shown["data"]["url"] == address
        assert page.request.get(shown["icon"]).headers["content-type"] == "image/png"

        (worker,) = visit.context.service_workers
        opened = worker.evaluate(
            """async () => {
              const addresses = [];
              clients.openWindow = async (address) => addresses.push(address);
              clients.matchAll = async () => [];
              const [notification] = await registration.getNotifications();
              const event = new NotificationEvent("notificationclick", { notification });
              const waits = [];
              event.waitUntil = (promise) => waits.push(promise);
              dispatchEvent(event);
              await Promise.all(waits);
              return addresses;
            }"""
        )
        assert opened == [shown["data"]["url"]]
        wait_for(lambda: browser.shown() == [], what="the notification is gone once it is pressed")

        page.locator(SWITCH).click()
        expect(page.locator(SWITCH)).to_have_text("Tell this device of changes")
        assert visit.complaints == []
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_switch_offers_other_news_once_the_tickets_are_on_the_open_page(
    confirmed_order: Order, ticket_files: Path, push_site: str, visiting: Visiting, elsewhere: Callable[..., Any]
) -> None:
    with visiting(whole=True) as visit:
        page = visit.page
        page.goto(f"{push_site}/orders/{confirmed_order.token}/")
        expect(page.locator(SWITCH)).to_have_text("Tell this device when the tickets are there")
        elsewhere(partial(issue_tickets, order_id=confirmed_order.pk))
        expect(page.locator(SWITCH)).to_have_text("Tell this device of changes", timeout=30_000)
        assert "waits" not in page.evaluate("({ ...document.getElementById('this-device').dataset })")


@pytest.mark.django_db(transaction=True)
def test_a_browser_that_refuses_or_cannot_says_what_to_do_and_nothing_is_stored(
    confirmed_order: Order, push_site: str, push_service: PushService, visiting: Visiting
) -> None:
    """With one server: refused by the fan, no push service (headless Chromium has none), no such API, no script."""
    address = f"{push_site}/orders/{confirmed_order.token}/"
    with visiting(whole=True) as visit:
        page = visit.page
        page.goto(address)
        page.evaluate(
            """() => {
              let leave = "default";
              Object.defineProperty(Notification, "permission", { get: () => leave });
              Notification.requestPermission = async () => (leave = "denied");
            }"""
        )
        expect(page.locator(SWITCH)).to_have_text("Tell this device when the tickets are there")
        page.locator(SWITCH).click()
        expect(page.locator(WORDS)).to_contain_text("Allow notifications for this site")
        expect(page.locator(SWITCH)).to_be_hidden()

        visit.context.grant_permissions(["notifications"], origin=push_site)
        page.goto(address)
        page.locator(SWITCH).click()
        expect(page.locator(WORDS)).to_contain_text("That did not work")
        expect(page.locator(SWITCH)).to_have_text("Try it again")

        page.add_init_script("delete window.PushManager;")
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_have_text("Confirmed")
        expect(page.locator("#this-device")).to_be_hidden()
        assert [said for said in visit.complaints if "Push API in incognito" not in said] == []
    with visiting(java_script_enabled=False) as visit:
        visit.page.goto(address)
        expect(visit.page.locator("#this-device")).to_be_hidden()
    assert not PushSubscription.objects.exists()
