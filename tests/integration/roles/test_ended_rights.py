"""Rights that end, end at once: in every session that is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from tests.fixtures_logins import LOGIN_PASSWORD, give_password

pytestmark = pytest.mark.django_db

ORDERS = "admin:boxoffice_order_changelist"


@pytest.fixture
def open_session(client: Client, desk_login: Callable[..., Any]) -> tuple[Client, Any]:
    """The browser of somebody of the desk who is in, and the login."""
    user = desk_login()
    give_password(client)
    assert client.get(reverse(ORDERS)).status_code == 200
    return client, user


def test_a_new_password_ends_the_other_sessions_of_the_login_and_not_its_own(
    open_session: tuple[Client, Any],
) -> None:
    browser, _user = open_session
    other = Client()
    give_password(other)
    new = "another long pass phrase"
    typed = {"old_password": LOGIN_PASSWORD, "new_password1": new, "new_password2": new}
    key = browser.session.session_key
    assert browser.post(reverse("admin:password_change"), typed).status_code == 302
    assert browser.get(reverse(ORDERS)).status_code == 200
    assert browser.session.session_key != key
    assert other.get(reverse(ORDERS)).status_code == 302


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda user: user.groups.clear(), 403),
        (lambda user: user.groups.set(Group.objects.filter(name="Promoter")), 403),
        (lambda user: type(user).objects.filter(pk=user.pk).update(is_active=False), 302),
        (lambda user: type(user).objects.filter(pk=user.pk).update(is_staff=False), 302),
    ],
    ids=["without its role", "in another role", "inactive", "no more at the desk"],
)
def test_a_login_that_lost_its_right_opens_nothing_by_a_session_from_before(
    open_session: tuple[Client, Any], change: Callable[[Any], object], status: int
) -> None:
    browser, user = open_session
    change(user)
    assert browser.get(reverse(ORDERS)).status_code == status
