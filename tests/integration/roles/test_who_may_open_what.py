"""Every page of the desk, opened by every role."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse

from boxoffice.roles.make_groups import make_groups
from boxoffice.roles.table import DOOR, GRANTS, ROLES, permissions_of
from tests.desk_pages import OWN_PAGES, DeskPage, desk_pages
from tests.fixtures_desk import Desk, login_as

pytestmark = pytest.mark.django_db


def known_permissions() -> set[str]:
    found = Permission.objects.values_list("content_type__app_label", "codename")
    return {f"{app}.{codename}" for app, codename in found}


def closed(page: DeskPage) -> set[int]:
    """How a page answers who may not open it. Django's own send him away where there is no such row for him."""
    return {403} if page.is_own else {403, 302}


def test_a_role_opens_the_pages_that_its_permissions_open_and_no_others(full_desk: Desk) -> None:
    superuser = Client()
    superuser.force_login(get_user_model().objects.create_superuser("root"))
    # What even a superuser may not: add, change or delete a row that only services write.
    pages = {page: full_desk.address_of(page) for page in desk_pages()}
    nobodys = {page for page, address in pages.items() if superuser.get(address).status_code == 403}
    wrong = []
    for role in ROLES:
        browser, may = login_as(Client(), role=role), permissions_of(role=role)
        for page, address in pages.items():
            allowed = page not in nobodys and may.intersection(page.opened_by)
            methods = (browser.get,) if allowed or not page.is_own else (browser.get, browser.post)
            statuses = {ask(address).status_code for ask in methods}
            if not statuses <= ({200, 302, 404} if allowed else closed(page)):
                wrong.append((role, page.name, address, "may" if allowed else "may not", statuses))
    assert wrong == []


def test_who_has_no_role_opens_nothing(client: Client, full_desk: Desk) -> None:
    client.force_login(get_user_model().objects.create_user("new here", is_staff=True))
    statuses = {page: client.get(full_desk.address_of(page)).status_code for page in desk_pages()}
    assert [page.name for page, status in statuses.items() if status not in closed(page)] == []


def test_the_doors_login_is_sent_away_from_the_desk(client: Client) -> None:
    user = get_user_model().objects.create_user("door")
    user.groups.add(Group.objects.get(name=DOOR))
    client.force_login(user)
    assert client.get(reverse("admin:index")).status_code == 302
    assert client.get(reverse("door")).status_code == 200


def test_every_permission_of_the_table_and_of_the_pages_exists() -> None:
    assert {grant.permission for grant in GRANTS} - known_permissions() == set()
    assert set(OWN_PAGES.values()) - known_permissions() == set()


def test_no_permission_has_two_rows() -> None:
    named = [grant.permission for grant in GRANTS]
    assert len(named) == len(set(named))


def test_every_permission_of_our_own_is_somebodys() -> None:
    # Only superusers could use one that stands in no row, and nobody would notice.
    ours = Permission.objects.filter(content_type__app_label__in=("boxoffice", "tickets", "notifications", "jobs"))
    own = {
        f"{permission.content_type.app_label}.{permission.codename}"
        for permission in ours.select_related("content_type")
        if not permission.codename.startswith(("add_", "change_", "delete_", "view_"))
    }
    assert own - {grant.permission for grant in GRANTS} == set()


def test_groups_are_put_right_and_others_are_left_alone() -> None:
    extra = Permission.objects.get(codename="delete_order")
    mixed = Group.objects.create(name="Box office on Sundays")
    mixed.permissions.add(extra)
    door = Group.objects.get(name=DOOR)
    door.permissions.set([extra])

    make_groups()
    make_groups()

    assert list(mixed.permissions.all()) == [extra]
    assert {permission.codename for permission in door.permissions.all()} == {
        permission.partition(".")[2] for permission in permissions_of(role=DOOR)
    }
