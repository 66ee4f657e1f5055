"""The sandbox's mailbox in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.fixtures_notifications import MailServer
from tests.fixtures_storefront import Visiting

pytestmark = pytest.mark.browser


def test_the_knobs_can_be_turned_in_a_browser(mail_server: MailServer, visiting: Visiting) -> None:
    with visiting() as visit:
        visit.page.goto(mail_server.address)
        visit.page.get_by_role("navigation", name="Knobs").get_by_role("link", name="SMTP").click()
        visit.page.get_by_role("button", name="Turn the knobs").click()
        expect(visit.page.get_by_role("status")).to_contain_text("Turned")
