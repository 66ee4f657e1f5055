"""Who guesses passwords waits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth import get_user_model
from django.test import Client, RequestFactory
from django.urls import reverse

from boxoffice.models import AccessAction
from boxoffice.roles.lockout.address import UNKNOWN, address_of
from boxoffice.roles.lockout.prune import prune_login_failures
from tests.fixtures_boxoffice import statements
from tests.fixtures_clock import Clock
from tests.fixtures_desk import login_as
from tests.fixtures_inventory import all_at_once
from tests.fixtures_logins import LOGIN_PASSWORD, give_password

pytestmark = pytest.mark.django_db

LIMIT = 5


def fail(client: Client, times: int, **how: Any) -> list[int]:
    return [give_password(client, password="wrong", **how).status_code for _ in range(times)]


def is_in(client: Client) -> bool:
    return client.get(reverse("admin:index")).status_code == 200


@pytest.mark.parametrize("at", ["admin:login", "door_login"])
def test_after_five_failures_the_right_password_opens_nothing_and_the_page_says_what_to_do(
    client: Client, desk_login: Callable[..., Any], at: str
) -> None:
    desk_login()
    assert fail(client, LIMIT, at=at) == [200] * (LIMIT - 1) + [429]

    answer = give_password(client, at=at)
    assert answer.status_code == 429
    assert "locked for 15 minutes" in answer.content.decode()
    assert "ask an operator" in answer.content.decode()
    assert answer.headers["Retry-After"] == "900"
    assert not is_in(client)


@pytest.mark.django_db(transaction=True)
def test_of_many_guesses_at_once_each_is_counted(desk_login: Callable[..., Any]) -> None:
    desk_login()
    all_at_once([partial(fail, Client(), 1) for _ in range(12)], threads=6)
    # Those that came while the limit was reached looked at no password, and so are not counted.
    assert LIMIT <= AccessAttempt.objects.get().failures_since_start <= LIMIT + 5
    assert fail(Client(), 1) == [429]


def test_a_lockout_ends_after_its_time_however_often_somebody_tries_meanwhile(
    client: Client, desk_login: Callable[..., Any], clock: Clock
) -> None:
    desk_login()
    fail(client, LIMIT)
    clock.advance(timedelta(minutes=14))
    assert give_password(client).status_code == 429
    clock.advance(timedelta(minutes=2))
    assert give_password(client).status_code == 302
    assert is_in(client)


def test_failures_long_ago_do_not_add_up(client: Client, desk_login: Callable[..., Any], clock: Clock) -> None:
    desk_login()
    fail(client, LIMIT - 1)
    clock.advance(timedelta(minutes=16))
    assert fail(client, LIMIT - 1) == [200] * (LIMIT - 1)


def test_who_gets_in_starts_over(client: Client, desk_login: Callable[..., Any]) -> None:
    desk_login()
    fail(client, LIMIT - 1)
    give_password(client)
    assert not AccessAttempt.objects.exists()


def test_nobody_else_is_locked_out_neither_another_login_nor_another_address(
    client: Client, desk_login: Callable[..., Any]
) -> None:
    desk_login()
    desk_login("berta")
    fail(client, LIMIT)
    assert give_password(client, "berta").status_code == 302
    elsewhere = Client(REMOTE_ADDR="198.51.100.7")
    assert give_password(elsewhere).status_code == 302


def test_a_name_that_nobody_has_is_locked_alike(client: Client, db: None) -> None:
    assert fail(client, LIMIT, name="nobody")[-1] == 429


def test_only_a_name_an_address_a_count_and_an_instant_are_kept(client: Client, desk_login: Callable[..., Any]) -> None:
    desk_login()
    with_more = {"HTTP_USER_AGENT": "Browser of a stranger", "HTTP_ACCEPT": "text/secret"}
    client.post(
        reverse("admin:login"), {"username": "anna", "password": "my other secret", "x": "private"}, **with_more
    )
    kept = AccessAttempt.objects.values().get()
    assert (kept["username"], kept["ip_address"], kept["failures_since_start"]) == ("anna", "127.0.0.1", 1)
    rest = set(kept) - {"id", "username", "ip_address", "failures_since_start", "attempt_time"}
    assert {kept[name] for name in rest} == {""}


def test_logs_name_neither_login_nor_address(
    client: Client, desk_login: Callable[..., Any], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    desk_login("quirin")
    client.defaults["REMOTE_ADDR"] = "198.51.100.7"
    fail(client, LIMIT + 1, name="quirin")
    said = caplog.text + "".join(capfd.readouterr())
    assert "quirin" not in said
    assert "198.51.100.7" not in said


def test_failures_are_forgotten_the_night_after(client: Client, desk_login: Callable[..., Any], clock: Clock) -> None:
    desk_login()
    fail(client, 2)
    assert prune_login_failures() == 0
    clock.advance(timedelta(days=1, minutes=1))
    assert prune_login_failures() == 1


def test_an_operator_lifts_a_lockout_with_a_reason_once(client: Client, desk_login: Callable[..., Any]) -> None:
    anna = desk_login()
    fail(client, LIMIT)
    operator = login_as(Client(), role="Operator")
    page = reverse("admin:auth_user_lift-lockout", args=[anna.pk])
    assert "../lift-lockout/" in operator.get(reverse("admin:auth_user_change", args=[anna.pk])).content.decode()
    assert operator.post(page, {"reason": ""}).status_code == 200
    assert give_password(client).status_code == 429

    done = operator.post(page, {"reason": "forgot it"}, follow=True).content.decode()
    assert "The lockout of anna was lifted" in done
    assert give_password(client).status_code == 302
    assert "Nothing was changed" in operator.post(page, {"reason": "again"}, follow=True).content.decode()
    assert list(AccessAction.objects.values_list("action", "login", "by", "reason")) == [
        ("lift", "anna", "one of Operator", "forgot it")
    ]


@pytest.mark.parametrize(
    ("proxy", "connection", "header", "expected"),
    [
        (False, "203.0.113.5", "198.51.100.7", "203.0.113.5"),
        (True, "10.0.0.1", "198.51.100.7", "198.51.100.7"),
        (True, "10.0.0.1", "1.2.3.4, 198.51.100.7", "198.51.100.7"),
        (True, "10.0.0.1", "1.2.3.4, not an address", "10.0.0.1"),
        (True, "10.0.0.1", "", "10.0.0.1"),
        (False, "203.0.113.5:4711", "", "203.0.113.5"),
        (False, "[2001:db8::1]:4711", "", "2001:db8::"),
        (False, "2001:DB8:0::1", "", "2001:db8::"),
        (False, "2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::"),
        (False, "::ffff:203.0.113.5", "", "203.0.113.5"),
        (False, "", "", UNKNOWN),
    ],
)
def test_the_address_is_the_connections_and_behind_a_trusted_proxy_what_it_added(
    settings: Any, proxy: bool, connection: str, header: str, expected: str
) -> None:
    settings.BEHIND_TRUSTED_PROXY = proxy
    request = RequestFactory().get("/", REMOTE_ADDR=connection, HTTP_X_FORWARDED_FOR=header)
    assert address_of(request) == expected


def test_who_has_a_network_of_ipv6_guesses_no_oftener_than_who_has_one_address(desk_login: Callable[..., Any]) -> None:
    desk_login()
    answers = [fail(Client(REMOTE_ADDR=f"2001:db8::{nth}"), 1)[0] for nth in range(LIMIT + 1)]
    assert answers == [200] * (LIMIT - 1) + [429, 429]


def test_a_login_costs_few_statements(client: Client, desk_login: Callable[..., Any]) -> None:
    desk_login()
    with statements() as seen:
        give_password(client)
    assert sum("axes_" in statement for statement in seen) == 2


def test_the_lockout_needs_no_redis(client: Client, desk_login: Callable[..., Any], settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    desk_login()
    assert fail(client, LIMIT)[-1] == 429
    assert get_user_model().objects.filter(password__contains=LOGIN_PASSWORD).count() == 0
