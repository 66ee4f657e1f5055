"""The files of exports: each row is that of the database, and none is a formula."""

from __future__ import annotations

import tempfile
import tracemalloc
from datetime import UTC, date, datetime, timedelta
from types import ModuleType
from uuid import uuid4

import pytest

from boxoffice.exports import transitions
from boxoffice.exports.asked import PAGE as ROWS_OF_A_PAGE
from boxoffice.exports.asked import Asked
from boxoffice.exports.start_export import start_export
from boxoffice.exports.write_export import write_export, write_rows
from boxoffice.models import Export, Order, Takings
from inventory.models import Show
from jobs.clock import database_now
from notifications.models import Notification
from tests.exported_files import asked, of_role, rows_in, undone, written
from tickets.models import Ticket

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("export_files")]


def there_and_in_utc(moment: datetime | None, show: Show) -> tuple[str, str]:
    if moment is None:
        return "", ""
    there = moment.astimezone(show.venue.zone)
    return f"{there:%Y-%m-%d %H:%M:%S}", f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


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
