"""Logging in at the desk as a person does it: a password, a telephone, and a code on paper."""

from __future__ import annotations

import io
import time
from base64 import b32decode
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import zxingcpp
from django_otp.oath import TOTP
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.fixtures_logins import LOGIN_PASSWORD
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def key_in(picture: Locator) -> bytes:
    """What a telephone reads off the screen."""
    (code,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(picture.screenshot())))
    address = urlsplit(code.text)
    assert (address.scheme, address.netloc, address.path) == ("otpauth", "totp", "/BoxOffice%3Aanna")
    return b32decode(parse_qs(address.query)["secret"][0])


def code_of(key: bytes) -> str:
    totp = TOTP(key)
    totp.time = time.time()
    return f"{totp.token():06d}"


def log_in(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/admin/boxoffice/order/")
    page.get_by_label("Username").fill("anna")
    page.get_by_label("Password").fill(LOGIN_PASSWORD)
    page.get_by_role("button", name="Log in").click()


@pytest.mark.parametrize(("width", "scripts"), [(375, False), (1280, True)])
def test_a_telephone_reads_the_picture_and_a_code_on_paper_does_when_it_is_lost(
    live_server: LiveServer,
    visiting: Visiting,
    desk_login: Callable[..., Any],
    settings: Any,
    width: int,
    scripts: bool,
) -> None:
    settings.STAFF_SECOND_FACTOR = True
    desk_login()
    with visiting(viewport={"width": width, "height": 900}, java_script_enabled=scripts) as visit:
        page = visit.page
        log_in(page, live_server)
        expect(page.get_by_role("heading", name="Set up your second factor")).to_be_visible()
        page.get_by_label("Code").fill(code_of(key_in(page.locator("img.qr"))))
        page.get_by_role("button", name="Set it up").click()
        on_paper = page.locator("ul.codes li").first.inner_text()
        page.get_by_role("link", name="I have them: go on").click()
        expect(page).to_have_url(f"{live_server.url}/admin/boxoffice/order/")

        page.context.clear_cookies()
        log_in(page, live_server)
        page.get_by_label("Code").fill(on_paper)
        page.get_by_role("button", name="Log in", exact=True).click()
        expect(page).to_have_url(f"{live_server.url}/admin/boxoffice/order/")
        page.locator("summary", has_text="anna").click()
        page.get_by_role("link", name="Second factor").click()
        expect(page.get_by_text("9 of your recovery codes are left.")).to_be_visible()
        assert visit.complaints == []
