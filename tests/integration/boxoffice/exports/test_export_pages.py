"""The pages of exports: files of just what is shown, asked for once."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import transaction
from django.test import Client

from boxoffice.exports.write_export import write_export
from boxoffice.models import Export, ExportAction, Takings
from boxoffice.roles.make_groups import make_groups
from boxoffice.sales.count_sales import count_sales
from inventory.models import Show
from jobs.clock import database_now
from jobs.models import Job
from tests.books import sell_on_the_web
from tests.exported_files import PAGE, of_role, rows_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("export_files")]


def test_the_page_of_sales_leads_to_a_file_of_just_what_it_shows_and_that_page_back(
    client: Client, sold_in_every_way: Show, make_show: Callable[..., Show], another_venues_show: Show
) -> None:
    other = make_show("Winter Letters", prices={"Front": 900, "House": 900})
    for show in (other, another_venues_show):
        sell_on_the_web(show, "A-1")
        with transaction.atomic():
            count_sales(show_id=show.pk)
    client.force_login(of_role("Finance"))
    today = database_now().date()
    for where, shows in (
        ({"show": sold_in_every_way.pk}, [sold_in_every_way]),
        ({"venue": sold_in_every_way.venue_id}, [sold_in_every_way, other]),
        ({}, [sold_in_every_way, other, another_venues_show]),
    ):
        days = {"first": today - timedelta(days=2), "last": today + timedelta(days=1)}
        sales = client.get("/admin/boxoffice/takings/", {"period": "own", **days, **where}).content.decode()
        (link,) = re.findall(rf'href="({PAGE}[^"]*)">Export these takings<', sales)

        page = client.get(unescape(link))

        form = page.context["form"]
        chosen = {name: form[name].value() for name in ("kind", "venue", "show", "first", "last") if form[name].value()}
        assert chosen == {"kind": "takings", **{name: str(value) for name, value in {**days, **where}.items()}}
        (back,) = re.findall(r'href="(/admin/boxoffice/takings/[^"]*)">Look at', page.content.decode())
        assert (
            client.get(unescape(back)).context["sales"].asked
            == client.get("/admin/boxoffice/takings/", {"period": "own", **days, **where}).context["sales"].asked
        )
        client.post(unescape(link), {**chosen, "number": str(uuid4())})
        export = Export.objects.latest("pk")
        write_export(export_id=export.pk)
        export.refresh_from_db()
        assert {row["Show"].lstrip("'") for row in rows_in(export)} == {show.title for show in shows}
        net = sum(round(100 * float(row["Net"])) for row in rows_in(export))
        assert net == sum(row.gross - row.refunded for row in Takings.objects.filter(show__in=shows))


def test_who_may_not_export_takings_is_offered_no_file_of_them(client: Client) -> None:
    make_groups()
    user = get_user_model().objects.create_user("looks", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_takings", "view_export"]))
    client.force_login(user)

    assert "Export these takings" not in client.get("/admin/boxoffice/takings/").content.decode()


def test_pressed_twice_one_file_is_planned_and_the_trail_says_who_asked_and_who_fetched(
    client: Client, sold_in_every_way: Show
) -> None:
    client.force_login(of_role("Finance"))
    form = {"kind": "orders", "show": sold_in_every_way.pk, "number": str(uuid4())}
    assert client.post(PAGE, form).status_code == client.post(PAGE, form).status_code == 302
    export = Export.objects.get()
    assert Job.objects.filter(task="boxoffice.write_export").count() == 1
    write_export(export_id=export.pk)
    answer = client.get(f"{PAGE}{export.pk}/download/")
    assert answer.streaming
    assert b"".join(answer).startswith(b"\xef\xbb\xbfOrder,")
    assert f"orders-show-{sold_in_every_way.pk}.csv" in answer["Content-Disposition"]
    said = f"orders, show {sold_in_every_way.pk}: =Nightbirds"
    trail = ExportAction.objects.order_by("pk").values_list("action", "by", "what")
    assert list(trail) == [("ask", "anna", said), ("fetch", "anna", said)]
    page = client.get(PAGE).content.decode()
    assert "3 rows" in page
    assert f"/{export.pk}/download/" in page


@pytest.mark.parametrize(
    "typed",
    [
        {},
        {"kind": "secrets"},
        {"kind": "orders"},
        {"kind": "orders", "first": "2026-11-02", "last": "2026-11-01"},
        {"kind": "orders", "show": "x\x00", "number": "no"},
    ],
)
def test_what_cannot_be_understood_begins_nothing(client: Client, typed: dict[str, str]) -> None:
    client.force_login(of_role("Finance"))
    assert client.post(PAGE, typed).status_code == 200
    assert not Export.objects.exists()
