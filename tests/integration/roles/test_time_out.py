"""A login at the desk ends: when nobody is there, and after a shift."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from boxoffice.roles.time_out import IDLE, LONGEST
from tests.fixtures_boxoffice import statements
from tests.fixtures_clock import Clock
from tests.fixtures_door import PASSWORD
from tests.fixtures_logins import LOGIN_PASSWORD, give_password

pytestmark = pytest.mark.django_db

INDEX = "admin:index"


@pytest.fixture
def anna_at_the_desk(client: Client, desk_login: Callable[..., Any], clock: Clock) -> Client:
    desk_login()
    give_password(client)
    return client


def is_in(client: Client, **headers: str) -> bool:
    return client.get(reverse(INDEX), headers=headers).status_code == 200


def test_half_an_hour_without_a_page_ends_it_and_the_login_says_so(anna_at_the_desk: Client, clock: Clock) -> None:
    clock.advance(IDLE - timedelta(seconds=5))
    assert is_in(anna_at_the_desk)
    clock.advance(IDLE + timedelta(seconds=5))
    page = anna_at_the_desk.get(reverse(INDEX), follow=True).content.decode()
    assert "nobody was here for 30 minutes" in page
    assert "nobody was here" not in anna_at_the_desk.get(reverse("admin:login")).content.decode()


def test_whoever_works_on_stays_in_until_the_shift_is_over(anna_at_the_desk: Client, clock: Clock) -> None:
    turns = int(LONGEST / timedelta(minutes=20))
    for _ in range(turns - 1):
        clock.advance(timedelta(minutes=20))
        assert is_in(anna_at_the_desk)
    clock.advance(timedelta(minutes=20))
    assert "logged out after 12 hours" in anna_at_the_desk.get(reverse(INDEX), follow=True).content.decode()


def test_a_page_that_refreshes_itself_keeps_nobody_in(anna_at_the_desk: Client, clock: Clock) -> None:
    for _ in range(3):
        clock.advance(timedelta(minutes=9))
        assert is_in(anna_at_the_desk, **{"Sec-Fetch-Dest": "empty"})
    clock.advance(timedelta(minutes=9))
    assert not is_in(anna_at_the_desk, **{"Sec-Fetch-Dest": "empty"})


def test_a_session_from_before_there_was_a_time_out_begins_to_run(
    client: Client, desk_login: Callable[..., Any]
) -> None:
    client.force_login(desk_login())
    session = client.session
    del session["staff_since"], session["staff_seen"]
    session.save()
    assert is_in(client)
    assert "staff_since" in client.session


def test_a_doors_login_lasts_its_night(client: Client, door_user: Any, clock: Clock) -> None:
    give_password(client, door_user.get_username(), password=PASSWORD, at="door_login")
    clock.advance(timedelta(hours=13))
    assert client.get(reverse("door")).status_code == 200
    assert client.session.get_expiry_age() > 13 * 3600


def test_fans_pages_ask_nothing_about_logins(client: Client, show_on_sale: Any) -> None:
    with statements() as seen:
        assert client.get("/").status_code == 200
    assert not [statement for statement in seen if "auth_user" in statement or "otp_" in statement]


def test_a_page_of_the_desk_costs_one_statement_more(client: Client) -> None:
    client.force_login(get_user_model().objects.create_superuser("root", password=LOGIN_PASSWORD))
    with statements() as seen:
        client.get(reverse("admin:password_change"))
    assert sum("jobs_now()" in statement for statement in seen) == 1
