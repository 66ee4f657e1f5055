"""Cookies that our site never gave."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", ["\x00" * 32, "a" * 31 + "\x00", "short", "x" * 5000, "A" * 32, "'" * 32])
def test_a_session_key_that_nobody_could_have_got_leads_to_the_login_and_to_no_error(key: str) -> None:
    # Written by hand, as an attacker does: newer Pythons refuse to put control characters into a cookie.
    quoted = "".join(letter if letter.isprintable() else f"\\{ord(letter):03o}" for letter in key)
    response = Client().get("/admin/", headers={"cookie": f'sessionid="{quoted}"'})
    assert (response.status_code, response.headers["Location"]) == (302, "/admin/login/?next=/admin/")


def test_a_session_of_our_own_is_found_again(django_user_model: type) -> None:
    staff = django_user_model.objects.create_superuser("ada", password="correct horse battery")  # type: ignore[attr-defined]
    client = Client()
    client.force_login(staff)
    assert client.get("/admin/").status_code == 200
