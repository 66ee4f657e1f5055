"""What the smoke test says about the figures, and when a slow system counts as a broken one."""

from __future__ import annotations

import pytest

from deploy.local.smoke import Timeline, judge, median_of


def timeline(**steps: float | None) -> Timeline:
    quick: dict[str, float | None] = dict.fromkeys(("hold", "place", "confirm", "started", "rendered", "accepted"), 1.0)
    return Timeline(**{**quick, **steps})  # type: ignore[arg-type]


def test_a_quick_system_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert judge(timeline()) == 0

    assert "MISSED" not in capsys.readouterr().out


def test_a_figure_just_missed_is_printed_as_missed_and_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert judge(timeline(confirm=51)) == 0

    assert "MISSED: confirm 51.0 ms, to reach 50 ms" in capsys.readouterr().out


@pytest.mark.parametrize("step", [{"confirm": 501.0}, {"accepted": 20_001.0}])
def test_a_figure_missed_ten_times_over_fails(step: dict[str, float]) -> None:
    assert judge(timeline(**step)) == 1


def test_the_median_is_taken_step_by_step() -> None:
    three = [timeline(confirm=1, accepted=9), timeline(confirm=5, accepted=7), timeline(confirm=3, accepted=8)]

    assert median_of(three) == timeline(confirm=3, accepted=8)


def test_orders_that_the_providers_event_confirmed_first_are_left_out_of_the_median() -> None:
    assert median_of([timeline(confirm=None), timeline(confirm=5), timeline(confirm=3)]).confirm == 4
    assert median_of([timeline(confirm=None)] * 3).confirm is None


def test_a_figure_that_no_order_gave_is_printed_as_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    by_event = timeline(confirm=None)
    assert judge(by_event) == 0

    assert "not measured: confirm, to reach 50 ms" in capsys.readouterr().out
    assert "by the provider's event" in "".join(by_event.lines())
