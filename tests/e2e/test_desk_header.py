"""The header of the desk on a telephone: one row under the name of the desk, and the rest behind one's own name."""

from __future__ import annotations

import os
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from boxoffice.attention.ask_for_attention import ask_for_attention
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

IN_ONE_ROW = """() => { const boxes = [...document.querySelectorAll("#user-tools > *")].map(
    tool => tool.getBoundingClientRect());
    return Math.max(...boxes.map(box => box.top)) < Math.min(...boxes.map(box => box.bottom)); }"""

IN_SIGHT = """menu => { const box = menu.getBoundingClientRect();
    return box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight; }"""


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("width", [375, 1280])
def test_all_that_the_header_offers_stands_in_one_row_and_the_menu_behind_the_name_is_in_sight(
    width: int,
    language: str,
    client: Client,
    live_server: LiveServer,
    visiting: Visiting,
) -> None:
    ask_for_attention(title="I cannot open the PDF", text="What can I do?", number=uuid4(), email="ada@example.org")
    client.force_login(get_user_model().objects.create_superuser("operator", password="a long pass phrase"))
    cookies: list[Any] = [
        {"name": name, "value": value, "url": live_server.url}
        for name, value in (
            (settings.SESSION_COOKIE_NAME, client.cookies[settings.SESSION_COOKIE_NAME].value),
            ("django_language", language),
        )
    ]
    with visiting(viewport={"width": width, "height": 812}) as visit:
        visit.context.add_cookies(cookies)
        page = visit.page
        page.goto(f"{live_server.url}{reverse('admin:index')}")
        assert page.locator(".attention-count.some").count() == 1
        assert page.evaluate(IN_ONE_ROW)
        log_out = page.locator("#logout-form button")
        expect(log_out).to_be_hidden()
        page.locator(".account summary").focus()
        page.keyboard.press("Enter")
        expect(log_out).to_be_visible()
        if shots := os.environ.get("SHOTS"):
            page.screenshot(path=f"{shots}/header-{width}-{language}.png")
        assert page.locator(".account .choices").evaluate(IN_SIGHT)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        log_out.click()
        expect(page.locator("#user-tools")).to_have_count(0)
        assert visit.complaints == []
