"""The columns of the page of sales: where they lie, and what is written beside them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from boxoffice.sales.charts import Chart, Point, by_days_or_weeks, column_chart

MONDAY = date(2026, 3, 2)


def chart(*amounts: tuple[int, int], unit: int = 1) -> Chart:
    points = [Point(MONDAY + timedelta(days=nth), came, went) for nth, (came, went) in enumerate(amounts)]
    return column_chart(points=points, in_words=str, day_in_words=lambda day: f"{day:%d.%m.}", unit=unit)


def percent(text: str) -> float:
    return float(text.removesuffix("%"))


def test_zero_is_where_columns_end_and_where_what_went_back_begins() -> None:
    drawn = chart((80, 20), (40, 0))
    for column in drawn.columns:
        assert percent(column.came_y) + percent(column.came_height) == pytest.approx(percent(drawn.zero), abs=0.02)
        assert column.went_y == drawn.zero
    first, second = drawn.columns
    assert percent(first.came_height) == pytest.approx(2 * percent(second.came_height), abs=0.02)
    assert percent(first.came_height) == pytest.approx(4 * percent(first.went_height), abs=0.02)


@pytest.mark.parametrize("highest", [1, 3, 7, 10, 99, 1_234, 100_000, 98_765_432])
def test_lines_are_round_few_and_reach_over_the_highest(highest: int) -> None:
    lines = [int(line.words) for line in chart((highest, 0)).lines]
    assert 0 in lines
    assert max(lines) >= highest
    assert 2 <= len(lines) <= 6
    step = lines[1] - lines[0]
    assert str(step).rstrip("0") in ("1", "2", "25", "5")


def test_an_amount_below_the_smallest_unit_still_has_a_line_of_a_whole_one() -> None:
    assert [line.words for line in chart((40, 0), unit=100).lines] == ["0", "100"]


def test_nothing_at_all_is_a_line_at_zero_and_no_label() -> None:
    drawn = chart((0, 0), (0, 0))
    assert drawn.highest is None
    assert {column.came_height for column in drawn.columns} == {"0.00%"}
    assert chart().columns == []


def test_a_telephone_writes_three_days_and_never_leaves_out_the_last() -> None:
    drawn = chart(*[(1, 0)] * 60)
    few = [mark.words for mark in drawn.days if mark.few]
    assert few[0] == "02.03."
    assert few[-1] == "30.04."
    assert len(few) == 3
    assert len(drawn.days) <= 8


def test_the_highest_column_is_labelled_within_the_picture_wherever_it_stands() -> None:
    for nth, anchor in ((0, "start"), (30, "middle"), (59, "end")):
        amounts = [(1, 0)] * 60
        amounts[nth] = (50, 0)
        label = chart(*amounts).highest
        assert label is not None
        assert (label[2], label[3]) == ("50", anchor)


def test_a_long_period_has_columns_of_weeks_from_monday_on() -> None:
    assert by_days_or_weeks(first=MONDAY, last=MONDAY + timedelta(days=91)) == (
        [MONDAY + timedelta(days=nth) for nth in range(92)],
        1,
    )
    starts, length = by_days_or_weeks(first=MONDAY + timedelta(days=3), last=MONDAY + timedelta(days=100))
    assert (starts[0], starts[-1], length) == (MONDAY, MONDAY + timedelta(days=98), 7)
