"""The login of the support desk."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.contrib.auth.models import Permission
from django.core.management import call_command

from boxoffice.roles.table import permissions_of

pytestmark = pytest.mark.django_db


def seed(*arguments: str) -> str:
    out = StringIO()
    call_command("seed_staff", *arguments, stdout=out)
    return out.getvalue()


def test_the_login_works_with_the_given_password() -> None:
    seed("--username", "desk", "--password", "a long pass phrase")

    user = authenticate(username="desk", password="a long pass phrase")
    assert user is not None
    assert user.is_staff


def test_without_a_password_one_is_drawn_and_printed() -> None:
    printed = seed()

    assert authenticate(username="staff", password=printed.rsplit(" / ", 1)[1].strip()) is not None


def test_seeding_again_sets_the_password_of_the_same_login() -> None:
    seed("--password", "the first pass phrase")
    seed("--password", "the second pass phrase")

    assert get_user_model().objects.count() == 1
    assert authenticate(username="staff", password="the first pass phrase") is None
    assert authenticate(username="staff", password="the second pass phrase") is not None


def test_the_door_gets_a_login_that_may_scan_tickets_and_nothing_else() -> None:
    assert not get_user_model().objects.filter(username="door").exists()
    seed("--password", "a long pass phrase", "--door-password", "another pass phrase")
    seed("--password", "a long pass phrase", "--door-password", "another pass phrase")

    user = authenticate(username="door", password="another pass phrase")
    assert user is not None
    assert user.get_all_permissions() == {"tickets.scan_ticket"}
    assert not user.is_staff


@pytest.mark.parametrize("role", ["Support", "Finance", "Promoter", "Operator"])
def test_each_role_gets_a_login_at_the_desk_that_may_do_what_the_table_says_and_no_more(role: str) -> None:
    seed("--role-password", "a third pass phrase")

    user = authenticate(username=role.lower(), password="a third pass phrase")
    assert user is not None
    assert user.is_staff
    assert not user.is_superuser
    known = {f"{p.content_type.app_label}.{p.codename}" for p in Permission.objects.select_related("content_type")}
    assert user.get_all_permissions() == permissions_of(role=role) & known


def test_the_same_password_set_again_logs_nobody_out() -> None:
    hashes = set()
    for _again in range(2):
        call_command("seed_staff", "--password", "kept for now", "--door-password", "kept, too", verbosity=0)
        hashes.add(tuple(get_user_model().objects.order_by("pk").values_list("password", flat=True)))
    assert len(hashes) == 1


def test_logins_of_the_desk_get_a_mail_address_unless_they_have_one() -> None:
    seed("--role-password", "a third pass phrase")
    get_user_model().objects.filter(username="finance").update(email="anna@house.example")

    seed("--role-password", "a third pass phrase", "--door-password", "another", "--mail-domain", "desk.example")

    addresses = dict(get_user_model().objects.values_list("username", "email"))
    assert addresses["staff"] == "staff@desk.example"
    assert addresses["support"] == "support@desk.example"
    assert addresses["finance"] == "anna@house.example"
    assert addresses["door"] == ""
