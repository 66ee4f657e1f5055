"""A box office with everything around it, and somebody of the role Support who takes the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from boxoffice.roles.make_groups import make_groups
from inventory.models import Show
from tests.e2e.support_calls.fans import House
from tests.e2e.support_calls.walk import Measured, Walk, table_of
from tests.e2e.support_calls.workers import workers_at_work
from tests.fixtures_esp import Esp
from tests.fixtures_payments import Payments
from tests.fixtures_storefront import Visiting

Taking = Callable[..., AbstractContextManager[Walk]]


@pytest.fixture(scope="session")
def calls_measured() -> Iterator[list[Measured]]:
    """What each call took; printed at the end for whoever ran pytest with -s."""
    measures: list[Measured] = []
    yield measures
    print(f"\n\n{table_of(measures)}\n")  # noqa: T201


@pytest.fixture
def house_of_calls(
    make_show: Callable[..., Show], paid_house: Payments, esp: Esp, ticket_files: Path, live_server: LiveServer
) -> House:
    """A show on sale at 42.00 € and 12.00 €; payments, mails and ticket files go their real ways."""
    esp.send_events_to(f"{live_server.url}/webhooks/mail/")
    return House(make_show("Nightbirds", prices={"Front": 4_200, "House": 1_200}), paid_house)


@pytest.fixture
def taking_a_call(
    desk_login: Callable[..., Any], live_server: LiveServer, visiting: Visiting, calls_measured: list[Measured]
) -> Taking:
    """Anna of the role Support at her desk, with workers at work, for the length of a block; at most ``clicks``."""
    make_groups()  # a test that commits leaves none behind
    anna = desk_login("anna", role="Support")

    @contextmanager
    def take(call: str, *, clicks: int, language: str = "en", width: int = 1280) -> Iterator[Walk]:
        client = Client()
        client.force_login(anna)
        cookies = {
            settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value,
            "django_language": language,
        }
        with workers_at_work(), visiting(viewport={"width": width, "height": 900}) as visit:
            visit.context.add_cookies(
                [{"name": name, "value": value, "url": live_server.url} for name, value in cookies.items()]
            )
            walk = Walk(visit.page, live_server.url, Measured(call))
            yield walk
            assert visit.complaints == []
        calls_measured.append(walk.measured)
        assert walk.measured.clicks <= clicks, f"{walk.measured} is more than {clicks} clicks"

    return take
