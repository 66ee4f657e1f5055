"""The files of exports: each row is that of the database, none is a formula, and only who may gets any."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
import tracemalloc
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.test import Client

from boxoffice.exports import transitions
from boxoffice.exports.asked import PAGE as ROWS_OF_A_PAGE
from boxoffice.exports.asked import Asked
from boxoffice.exports.erase_exports import erase_exports
from boxoffice.exports.start_export import start_export
from boxoffice.exports.write_export import NOT_ALLOWED, write_export, write_rows
from boxoffice.models import Export, ExportAction, Order, Promotion, Takings
from boxoffice.refunds.refund_order import refund_order
from boxoffice.roles.make_groups import make_groups
from boxoffice.sales.count_sales import count_sales
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Show, Venue
from jobs.clock import database_now
from jobs.models import Job
from notifications.models import Notification
from tests.books import sell_at_the_desk, sell_on_the_web
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import plan_document
from tests.fixtures_refunds import WHO_AND_WHY
from tickets.models import Ticket
from tickets.storage import ticket_storage

pytestmark = pytest.mark.django_db

PAGE = "/admin/boxoffice/export/"


@pytest.fixture(autouse=True)
def export_files(settings: Any, tmp_path: Any) -> None:
    """A storage of this test alone."""
    settings.MEDIA_ROOT = str(tmp_path)


@pytest.fixture
def sold_in_every_way(make_show: Callable[..., Show]) -> Show:
    """Three orders of five seats, one of them given back, and one by somebody whose name is a formula."""
    show = make_show("=Nightbirds", prices={"Front": 4210, "House": 1205})
    sell_on_the_web(show, "A-1", "B-1")
    order = sell_at_the_desk(show, "A-2", "A-3")
    refund_order(order_id=order.pk, line_ids=[order.lines.earliest("pk").pk], **WHO_AND_WHY)
    bad = sell_on_the_web(show, "B-2")
    Order.objects.filter(pk=bad.pk).update(name='=HYPERLINK("http://evil.example";"Ada")', email="@evil.example")
    Ticket.objects.filter(order_id=bad.pk).update(holder_name="+49 30 1234")
    with transaction.atomic():
        count_sales(show_id=show.pk)
    return show


@pytest.fixture
def another_venues_show(make_show: Callable[..., Show]) -> Show:
    """A show at a second venue."""
    venue = Venue.objects.create(name="Odeon", slug="odeon", city="Bath", address="1 Row", time_zone="Europe/London")
    plan = import_seating_plan(venue=venue, raw=json.dumps(plan_document()).encode())
    return make_show("Odeon Nights", plan=plan, prices={"Front": 500, "House": 500})


def of_role(role: str, name: str = "anna") -> Any:
    make_groups()
    user = get_user_model().objects.create_user(name, email=f"{name}@house.example", is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


def asked(user: Any, kind: str, show: Show | None = None, *, language: str = "en", days: int = 30) -> Export:
    today = database_now().date()
    number = start_export(
        number=uuid4(),
        user=user,
        kind=kind,
        language=language,
        show=show,
        first=today - timedelta(days=days),
        last=today + timedelta(days=days),
    )
    return Export.objects.get(pk=number)


def written(user: Any, kind: str, show: Show | None = None, **more: Any) -> Export:
    export = asked(user, kind, show, **more)
    write_export(export_id=export.pk)
    export.refresh_from_db()
    return export


def rows_in(export: Export, delimiter: str = ",") -> list[dict[str, str]]:
    with ticket_storage().open(export.storage_name) as file:
        content = file.read()
    assert content.startswith(b"\xef\xbb\xbf")
    assert export.size == len(content)
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter))


def there_and_in_utc(moment: datetime | None, show: Show) -> tuple[str, str]:
    if moment is None:
        return "", ""
    there = moment.astimezone(show.venue.zone)
    return f"{there:%Y-%m-%d %H:%M:%S}", f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def undone(cell: str) -> str:
    return cell[1:] if cell.startswith(("'=", "'+", "'-", "'@")) else cell


def test_every_order_is_a_row_with_what_the_database_has(sold_in_every_way: Show) -> None:
    export = written(of_role("Finance"), "orders")
    rows = rows_in(export)
    orders = list(Order.objects.order_by("placed_at", "pk").prefetch_related("lines"))
    assert export.rows_done == len(rows) == len(orders) == 3
    for row, order in zip(rows, orders, strict=True):
        assert row["Order"] == order.code
        assert row["Status"] == order.get_status_display()
        assert undone(row["Show"]) == sold_in_every_way.title
        assert (undone(row["Name"]), undone(row["E-mail"])) == (order.name, order.email)
        assert row["Total"] == f"{order.total / 100:.2f}"
        assert row["Currency"] == order.currency
        back = [line for line in order.lines.all() if line.refunded_at]
        assert row["Refunded"] == f"{sum(line.price for line in back) / 100:.2f}"
        assert (row["Seats"], row["Seats given back"]) == (str(order.lines.count()), str(len(back)))
        placed = there_and_in_utc(order.placed_at, sold_in_every_way)
        assert (row["Placed, at the venue"], row["Placed, UTC"]) == placed
        assert row["Confirmed, UTC"] == there_and_in_utc(order.confirmed_at, sold_in_every_way)[1]
        paid = order.payments.get(status="succeeded")
        assert (row["Sold"], row["Paid by"]) == (order.get_channel_display(), paid.get_method_display())


def test_every_valid_ticket_is_an_attendee_and_a_void_one_is_none(sold_in_every_way: Show) -> None:
    rows = rows_in(written(of_role("Support"), "attendees", sold_in_every_way))
    tickets = Ticket.objects.exclude(status="void").select_related("seat").order_by("pk")
    assert len(rows) == 4
    for row, ticket in zip(rows, tickets, strict=True):
        assert (row["Ticket"], row["Seat"]) == (ticket.printed_code, ticket.seat.label)
        assert (undone(row["Name"]), row["Order"]) == (ticket.holder_name, ticket.order_code)
        assert row["Begins, at the venue"] == there_and_in_utc(sold_in_every_way.starts_at, sold_in_every_way)[0]
        assert row["Price"] in ("42.10", "12.05")


def test_takings_are_those_of_the_page_of_sales_to_the_cent(sold_in_every_way: Show) -> None:
    rows = rows_in(written(of_role("Finance"), "takings"))
    counted = Takings.objects.select_related("tier").order_by("day", "pk")
    assert len(rows) == counted.count() > 1
    for row, taking in zip(rows, counted, strict=True):
        assert (row["Day"], row["Price tier"]) == (f"{taking.day:%Y-%m-%d}", taking.tier.name)
        assert row["Gross"] == f"{taking.gross / 100:.2f}"
        assert row["Net"] == f"{(taking.gross - taking.refunded) / 100:.2f}"


def test_nothing_that_a_fan_typed_is_worked_out_by_a_spreadsheet(sold_in_every_way: Show) -> None:
    user = of_role("Finance")
    for kind in ("orders", "attendees", "takings"):
        for row in rows_in(written(user, kind)):
            assert not [cell for cell in row.values() if cell.startswith(("=", "+", "@", "\t", "\r"))]
    assert "'+49 30 1234" in {row["Name"] for row in rows_in(written(user, "attendees"))}


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


def test_a_show_is_exported_within_days_or_whole_and_its_attendees_always_whole(sold_in_every_way: Show) -> None:
    finance = of_role("Finance")
    long_ago = database_now().date() - timedelta(days=300)

    def rows(kind: str, **days: date) -> int:
        number = start_export(number=uuid4(), user=finance, kind=kind, language="en", show=sold_in_every_way, **days)
        write_export(export_id=number or 0)
        return Export.objects.get(pk=number).rows_done

    for kind in ("orders", "takings"):
        assert rows(kind) > 0
        assert rows(kind, first=long_ago, last=long_ago) == 0
    assert rows("attendees", first=long_ago, last=long_ago) == rows("attendees") > 0


def test_who_may_not_export_takings_is_offered_no_file_of_them(client: Client) -> None:
    make_groups()
    user = get_user_model().objects.create_user("looks", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_takings", "view_export"]))
    client.force_login(user)

    assert "Export these takings" not in client.get("/admin/boxoffice/takings/").content.decode()


def test_a_german_file_is_one_that_german_spreadsheets_read(sold_in_every_way: Show) -> None:
    rows = rows_in(written(of_role("Finance"), "orders", language="de"), delimiter=";")
    assert {row["Währung"] for row in rows} == {"EUR"}
    assert "54,15" in {row["Summe"] for row in rows}


def test_pages_join_without_a_gap_and_without_a_row_twice(
    sold_in_every_way: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boxoffice.exports.asked.PAGE", 1)
    user = of_role("Finance")
    for kind, count in (("orders", 3), ("attendees", 4)):
        rows = rows_in(written(user, kind))
        assert len({tuple(row.values()) for row in rows}) == len(rows) == count


def test_a_worker_that_died_is_followed_by_one_that_writes_the_file_whole(sold_in_every_way: Show) -> None:
    export = asked(of_role("Finance"), "orders")
    transitions.begin(export_id=export.pk)
    transitions.note(export_id=export.pk, done=2, about=3)
    write_export(export_id=export.pk)
    write_export(export_id=export.pk)
    export.refresh_from_db()
    assert (export.state, export.rows_done, len(rows_in(export))) == ("done", 3, 3)
    mail = Notification.objects.get(kind="export_ready")
    assert (mail.recipient, mail.subject) == ("anna@house.example", f"export:{export.pk}")


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


def test_a_hundred_thousand_rows_take_the_memory_of_one_page() -> None:
    def peak(pages: int) -> int:
        kind = ModuleType("kind")
        row = ("Ada Lovelace", "ada@example.org", "A longer title of a show than most shows have")
        kind.header = lambda: ("a", "b", "c")  # type: ignore[attr-defined]
        kind.pages = lambda _asked: ([row] * ROWS_OF_A_PAGE for _ in range(pages))  # type: ignore[attr-defined]
        kind.cells = lambda row, _dialect: row  # type: ignore[attr-defined]
        everything = Asked(None, None, None, database_now())
        with tempfile.TemporaryFile() as file:
            tracemalloc.start()
            write_rows(file, kind=kind, asked=everything, language="en", note=lambda _done: None)
            _now, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        return most

    peak(1)
    assert peak(50) < 1.5 * peak(2)
