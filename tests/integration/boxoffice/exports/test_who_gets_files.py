"""Only who may gets a file, and only as long as he may."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from boxoffice.exports.erase_exports import erase_exports
from boxoffice.exports.write_export import NOT_ALLOWED, write_export
from boxoffice.models import Promotion
from inventory.models import Show
from tests.exported_files import PAGE, asked, of_role, rows_in, undone, written
from tests.fixtures_clock import Clock
from tickets.storage import ticket_storage

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("export_files")]


def test_a_promoter_gets_the_takings_of_his_own_shows_and_no_fan(
    sold_in_every_way: Show, make_show: Callable[..., Show]
) -> None:
    promoter = of_role("Promoter")
    assert rows_in(written(promoter, "takings")) == []
    Promotion.objects.create(show=sold_in_every_way, promoter=promoter)
    assert {undone(row["Show"]) for row in rows_in(written(promoter, "takings"))} == {sold_in_every_way.title}
    for refused in ({"kind": "orders"}, {"kind": "attendees"}, {"kind": "takings", "show": make_show("Another's")}):
        with pytest.raises(Exception, match="may not export"):
            asked(promoter, **refused)


def test_a_right_that_was_taken_away_meanwhile_ends_in_no_file(sold_in_every_way: Show) -> None:
    user = of_role("Finance")
    export = asked(user, "orders")
    user.groups.clear()
    write_export(export_id=export.pk)
    export.refresh_from_db()
    assert (export.state, export.problem, export.storage_name) == ("failed", NOT_ALLOWED, "")


def test_nobody_fetches_the_file_of_another_nor_without_the_right(client: Client, sold_in_every_way: Show) -> None:
    export = written(of_role("Finance"), "orders")
    client.force_login(of_role("Finance", "berta"))
    assert client.get(f"{PAGE}{export.pk}/download/").status_code == 404
    assert f"/{export.pk}/download/" not in client.get(PAGE).content.decode()
    export.user.groups.clear()
    client.force_login(export.user)
    assert client.get(f"{PAGE}{export.pk}/download/").status_code == 403
    assert client.get(PAGE).status_code == 403


def test_who_lost_one_of_the_shows_in_a_file_gets_it_no_more(
    client: Client, sold_in_every_way: Show, another_venues_show: Show
) -> None:
    promoter = of_role("Promoter")
    for show in (sold_in_every_way, another_venues_show):
        Promotion.objects.create(show=show, promoter=promoter)
    both, one = written(promoter, "takings"), written(promoter, "takings", sold_in_every_way)
    client.force_login(promoter)
    Promotion.objects.filter(show=another_venues_show).delete()
    assert [client.get(f"{PAGE}{each.pk}/download/").status_code for each in (both, one)] == [403, 200]
    page = client.get(PAGE).content.decode()
    assert (f"/{both.pk}/download/" in page, f"/{one.pk}/download/" in page) == (False, True)


def test_who_saw_all_takings_and_is_a_promoter_now_gets_no_file_of_them(
    client: Client, sold_in_every_way: Show
) -> None:
    user = of_role("Finance")
    export = written(user, "takings")
    user.groups.set([Group.objects.get(name="Promoter")])
    Promotion.objects.create(show=sold_in_every_way, promoter=user)
    client.force_login(user)
    assert client.get(f"{PAGE}{export.pk}/download/").status_code == 403


def test_after_a_week_nobody_gets_the_file_though_no_job_has_erased_it(
    client: Client, sold_in_every_way: Show, clock: Clock
) -> None:
    export = written(of_role("Finance"), "orders")
    clock.advance(timedelta(days=7, minutes=1))
    assert ticket_storage().exists(export.storage_name)
    client.force_login(export.user)
    assert client.get(f"{PAGE}{export.pk}/download/").status_code == 302
    assert f"/{export.pk}/download/" not in client.get(PAGE).content.decode()


def test_half_a_file_of_a_worker_that_was_killed_is_erased_with_the_whole_one(
    sold_in_every_way: Show, clock: Clock
) -> None:
    export = written(of_role("Finance"), "orders")
    half = ticket_storage().path(f"{export.storage_name}.0123456789abcdef.part")
    Path(half).write_text("Ada Lovelace")
    clock.advance(timedelta(days=7, minutes=1))
    assert erase_exports() == 1
    assert list(Path(half).parent.iterdir()) == []


def test_a_week_later_the_file_is_gone_and_the_page_says_so(
    client: Client, sold_in_every_way: Show, clock: Clock
) -> None:
    export = written(of_role("Finance"), "orders")
    clock.advance(timedelta(days=6))
    assert erase_exports() == 0
    clock.advance(timedelta(days=1, minutes=1))
    assert erase_exports() == 1
    assert erase_exports() == 0
    assert not ticket_storage().exists(export.storage_name)
    client.force_login(export.user)
    assert client.get(f"{PAGE}{export.pk}/download/").status_code == 302
