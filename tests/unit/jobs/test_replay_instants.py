"""Instants and ages as operators type them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs.dead.instants import read_instant

NOW = datetime(2026, 11, 29, 18, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("30s", timedelta(seconds=30)),
        ("5m", timedelta(minutes=5)),
        ("2h", timedelta(hours=2)),
        (" 3 d ", timedelta(days=3)),
        ("1w", timedelta(weeks=1)),
    ],
)
def test_an_age_counts_back_from_now(text: str, age: timedelta) -> None:
    assert read_instant(text).seen_from(NOW) == NOW - age


@pytest.mark.parametrize("text", ["2026-11-29T17:00:00Z", "2026-11-29T18:00+01:00", "2026-11-29 12:00-05:00"])
def test_an_instant_with_a_zone_is_that_instant(text: str) -> None:
    typed = read_instant(text)
    assert typed.seen_from(NOW) == datetime(2026, 11, 29, 17, 0, tzinfo=UTC)
    assert typed.assumed_zone == ""


def test_an_instant_without_a_zone_is_read_in_the_settings_zone_and_says_so(settings: object) -> None:
    typed = read_instant("2026-11-29 17:00")
    assert typed.seen_from(NOW) == datetime(2026, 11, 29, 17, 0, tzinfo=UTC)
    assert typed.assumed_zone == "UTC"
    assert read_instant("2026-11-29").seen_from(NOW) == datetime(2026, 11, 29, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "yesterday", "2y", "h", "-2h", "2026-13-01", "29.11.2026", "1e3h", "999999d"])
def test_anything_else_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="nor an age such as 2h or 3d"):
        read_instant(text)
