"""Takings that differ from the orders are found, told and repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from boxoffice.models import (
    AskedAttention,
    Order,
    Takings,
)
from boxoffice.sales.prove_takings import prove_takings
from boxoffice.sales.tell_differences import prove_and_tell
from inventory.models import Show
from tests.books import book_of, counted_of, sell_at_the_desk


@pytest.fixture
def spoiled_show(dear_show: Show, count: Callable[[Show], None]) -> Iterator[Show]:
    """Its takings are a cent too high, and a row stands there that no order has made."""
    sell_at_the_desk(dear_show, "A-1", "A-2")
    count(dear_show)
    row = Takings.objects.get()
    Takings.objects.filter(pk=row.pk).update(gross=row.gross + 1)
    row.pk, row.channel, row.gross = None, "web", 0
    row.save()
    return dear_show  # type: ignore[return-value]


def test_a_proof_tells_by_how_much_takings_differ_and_repairs_them_on_demand(
    spoiled_show: Show, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError):
        call_command("prove_takings")
    told = capsys.readouterr().out
    assert f"show {spoiled_show.pk}: 2 rows differ; too many seats sold: 2" in told
    assert "too much gross: 0.01\N{NO-BREAK SPACE}€" in told

    call_command("prove_takings", repair=True)
    assert "differ=1 repaired=1" in capsys.readouterr().out
    assert counted_of(spoiled_show) == book_of(spoiled_show)
    call_command("prove_takings")
    assert "differ=0 repaired=0 unlike=0" in capsys.readouterr().out


def test_a_show_that_waits_to_be_counted_is_not_found_wrong(dear_show: Show) -> None:
    sell_at_the_desk(dear_show, "A-1")
    proof = prove_takings(repair=True)
    assert (proof.holds, proof.waiting, proof.repaired) == (True, 1, 0)


def test_an_order_whose_total_is_not_what_its_lines_cost_is_told_and_not_repaired(
    dear_show: Show, count: Callable[[Show], None]
) -> None:
    order = sell_at_the_desk(dear_show, "A-1")
    Order.objects.filter(pk=order.pk).update(total=4200)
    count(dear_show)
    proof = prove_takings(repair=True)
    assert proof.differences == []
    assert proof.unlike == [(dear_show.pk, "EUR", 10)]


def test_the_nightly_job_repairs_and_has_somebody_look_once_a_day(spoiled_show: Show) -> None:
    for _ in range(2):
        prove_and_tell()
        assert counted_of(spoiled_show) == book_of(spoiled_show)
        Takings.objects.filter(show=spoiled_show).update(gross=F("gross") + 1)
    asked = AskedAttention.objects.get()
    assert asked.title == "Takings differed from the orders"
    assert f"Show {spoiled_show.pk}: gross was 0.01\N{NO-BREAK SPACE}€" in asked.text


def test_a_night_on_which_all_is_equal_asks_nobody(dear_show: Show, count: Callable[[Show], None]) -> None:
    sell_at_the_desk(dear_show, "A-1")
    count(dear_show)
    assert prove_and_tell().holds
    assert not AskedAttention.objects.exists()
