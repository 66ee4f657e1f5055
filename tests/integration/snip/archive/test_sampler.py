"""The figure of the last minutes: at once, and at most once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from snip.event import AgentClass
from snip.samples import sampler as sampling
from snip.samples.sampler import GROUP, Sampler, read_live
from tests.fixtures_click_archive import STREAM, ClickLog


@pytest.fixture
def sampler(hourly_log: ClickLog) -> Iterator[Sampler]:
    """It has begun, and nothing is counted yet."""
    _forget(hourly_log)
    sampler = Sampler(client=hourly_log.client, streams=[STREAM], name="one")
    sampler.begin()
    yield sampler
    _forget(hourly_log)


def _forget(hourly_log: ClickLog) -> None:
    for key in hourly_log.client.scan_iter("snip:live:*"):
        hourly_log.client.delete(key)


def _now() -> datetime:
    return datetime.now(UTC)


def test_clicks_of_people_are_told_at_once_by_code(hourly_log: ClickLog, sampler: Sampler) -> None:
    for code in ("one", "one", "two"):
        hourly_log.add(code, at=_now())
    hourly_log.add("one", at=_now(), agent=AgentClass.BOT)
    hourly_log.add_packed(b"no click", at=_now())
    assert sampler.sample() == 3
    assert read_live(client=hourly_log.client, codes=["one", "three"]) == 2
    assert read_live(client=hourly_log.client, codes=None) == 3
    assert read_live(client=hourly_log.client, codes=[]) == 0


def test_clicks_that_a_sampler_died_with_are_lost_and_nothing_is_counted_twice(
    hourly_log: ClickLog, sampler: Sampler, monkeypatch: pytest.MonkeyPatch
) -> None:
    hourly_log.add(at=_now())

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Sampler, "_count", die)
        with pytest.raises(KeyboardInterrupt):
            sampler.sample()
    another = Sampler(client=hourly_log.client, streams=[STREAM], name="two")
    another.begin()
    hourly_log.add(at=_now())
    assert another.sample() == 1
    assert read_live(client=hourly_log.client, codes=None) == 1
    assert hourly_log.client.xpending(STREAM, GROUP)["pending"] == 0


def test_who_is_behind_goes_on_at_the_end(
    hourly_log: ClickLog, sampler: Sampler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "MOST", 10)
    for _ in range(35):
        hourly_log.add(at=_now())
    assert sampler.sample() == 10
    assert sampler.sample() == 0
    hourly_log.add(at=_now())
    assert sampler.sample() == 1


def test_minutes_that_are_over_are_not_told(hourly_log: ClickLog, sampler: Sampler) -> None:
    hourly_log.add(at=_now() - timedelta(minutes=6))
    assert sampler.sample() == 1
    assert read_live(client=hourly_log.client, codes=None) == 0
