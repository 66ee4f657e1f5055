"""The ESP's knobs, and what staff of the demo let become of a mail, in a browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from notifications.deliver import deliver
from notifications.models import Notification
from tests.fixtures_esp import Esp
from tests.fixtures_notifications import content
from tests.fixtures_storefront import Visiting
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_mail_bounces_when_its_button_is_pressed(
    esp: Esp, live_server: Any, visiting: Visiting, queued_notification: Notification
) -> None:
    esp.send_events_to(f"{live_server.url}/webhooks/mail/")
    deliver(notification_id=queued_notification.pk, content=content())
    with visiting() as visit:
        visit.page.goto(esp.mailbox.messages()[0]["url"])
        expect(visit.page.locator(".facts")).to_contain_text("by the ESP’s API")
        expect(visit.page.locator(".headers")).not_to_contain_text("X-Sandbox")
        visit.page.get_by_role("button", name="Bounce", exact=True).click()
        expect(visit.page.get_by_role("status")).to_contain_text("on the way: Bounce")
    wait_for(lambda: Notification.objects.get().status == "bounced", what="the bounce is told")


def test_a_mail_to_an_address_that_decides_says_so_on_its_page(
    esp: Esp, visiting: Visiting, queued_notification: Notification
) -> None:
    deliver(notification_id=queued_notification.pk, content=content(to_address="complained@example.org"))
    with visiting() as visit:
        visit.page.goto(esp.mailbox.messages()[0]["url"])
        expect(visit.page.locator(".facts")).to_contain_text("delivered, then complained; its address decides that")
        visit.page.get_by_role("navigation", name="Knobs").get_by_role("link", name="ESP").click()
        expect(visit.page.locator(".addresses")).to_contain_text("complained@…")


def test_the_knobs_of_the_esp_are_turned_and_reset_in_a_browser(esp: Esp, visiting: Visiting) -> None:
    with visiting() as visit:
        visit.page.goto(f"{esp.mailbox.address}esp/knobs/")
        visit.page.get_by_label("Requests in any second; 0 for no limit").fill("100")
        visit.page.get_by_role("button", name="Turn the knobs").click()
        expect(visit.page.get_by_role("status")).to_contain_text("Turned")
        assert esp.turn()["limit_per_second"] == 100
        visit.page.get_by_label("by this chance, 0 to 1").fill("2")
        visit.page.get_by_role("button", name="Turn the knobs").click()
        expect(visit.page.get_by_role("alert")).to_contain_text("spike_rate")
        visit.page.goto(esp.mailbox.address)
        expect(visit.page.locator(".warning")).to_contain_text("The knobs of the ESP are turned")
        visit.page.goto(f"{esp.mailbox.address}esp/knobs/")
        visit.page.get_by_role("button", name="Reset all").click()
        expect(visit.page.get_by_role("status")).to_contain_text("Turned")
        assert esp.turn()["limit_per_second"] == 0
