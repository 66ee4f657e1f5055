"""Staff at the desk in a real browser: signed in, and looking at one page after the other."""

from __future__ import annotations

import os

from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests.fixtures_storefront import Visit

PASSWORD = "a long pass phrase"


def session_of_an_operator(client: Client) -> str:
    """The cookie of one who may do everything. Asked for before a browser is open: Django refuses queries then."""
    client.force_login(get_user_model().objects.create_superuser("operator", password=PASSWORD))
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def bring_session(visit: Visit, live_server: LiveServer, session: str, *, language: str = "") -> None:
    """Let the browser be signed in, and read in this language."""
    cookies = {settings.SESSION_COOKIE_NAME: session} | ({"django_language": language} if language else {})
    visit.context.add_cookies(
        [{"name": name, "value": value, "url": live_server.url} for name, value in cookies.items()]
    )


def look_at(visit: Visit, live_server: LiveServer, address: str, *, name: str, width: int) -> None:
    """Go there: it is no wider than the screen. With SHOTS, a folder, a picture of it is kept under the name."""
    answer = visit.page.goto(f"{live_server.url}{address}")
    assert answer is not None
    assert answer.status == 200, address
    if shots := os.environ.get("SHOTS"):
        visit.page.screenshot(path=f"{shots}/{name}.png", full_page=True)
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width, address


def log_in(page: Page, live_server: LiveServer, way: str = "/admin/") -> None:
    """The operator types his password, in whatever language, and is led on to ``way``."""
    page.goto(f"{live_server.url}/admin/login/?next={way}")
    page.locator("#id_username").fill("operator")
    page.locator("#id_password").fill(PASSWORD)
    page.locator("input[type=submit]").click()
    # The whole address: that of the login page ends with ``way`` as well.
    page.wait_for_url(f"{live_server.url}{way}")
