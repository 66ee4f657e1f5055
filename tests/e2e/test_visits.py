"""The browser that all tests of a process share: no visit leaves anything to the next."""

from __future__ import annotations

from contextlib import suppress

import pytest
from pytest_django.live_server_helper import LiveServer

from inventory.models import Show
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_visit_that_broke_off_leaves_neither_a_cookie_nor_a_loop_to_what_comes_next(
    live_server: LiveServer, visiting: Visiting
) -> None:
    with suppress(ZeroDivisionError), visiting() as visit:
        visit.context.add_cookies([{"name": "django_language", "value": "de", "url": live_server.url}])
        visit.page.goto(live_server.url)
        assert visit.page.locator("html").get_attribute("lang") == "de"
        raise ZeroDivisionError
    assert not Show.objects.exists()  # Django would refuse to ask while a loop runs
    with visiting() as visit:
        assert visit.context.cookies() == []
        visit.page.goto(live_server.url)
        assert visit.page.locator("html").get_attribute("lang") == "en"


def test_a_browser_that_died_is_started_again(live_server: LiveServer, visiting: Visiting) -> None:
    with visiting() as visit:
        assert visit.context.browser
        visit.context.browser.close()
    with visiting() as visit:
        visit.page.goto(live_server.url)
        assert visit.complaints == []
