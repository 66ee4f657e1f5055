"""The chaos run can turn red: its counting, on ledgers that were left in a wrong state by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.chaos.verdict import Observed, Verdict

KEYS = frozenset({"a", "b"})
RIGHT = Observed(
    promised=KEYS,
    states={"a": "done", "b": "done"},
    marks=Counter("ab"),
    charged=KEYS,
    effects=Counter("ab"),
    purchases=KEYS,
    bought=KEYS,
)


def verdict_on(observed: Observed, *, fired: int = 1, problems: tuple[str, ...] = ()) -> Verdict:
    return Verdict(
        fault="relay: killed", broker="redis", observed=observed, fired=fired, calls=3, seconds=1, recovered=0.5,
        problems=problems,
    )  # fmt: skip


def test_a_fault_after_which_all_is_there_once_is_right_and_its_line_ends_in_what_matters() -> None:
    verdict = verdict_on(RIGHT)
    assert verdict.is_right
    assert verdict.line().endswith(
        "redis    jobs=2 fired=1 done=2 dead=0 calls=3 repeated=1 seconds=1.0 recovered=0.5s lost=0 duplicated=0"
    )


@pytest.mark.parametrize(
    ("observed", "lost"),
    [
        (replace(RIGHT, states={"a": "done"}, marks=Counter("a"), bought={"a"}), {"b"}),
        (replace(RIGHT, states={"a": "done", "b": "running"}), {"b"}),
        (replace(RIGHT, states={"a": "done", "b": "dead"}, marks=Counter("a")), {"b"}),
        (replace(RIGHT, marks=Counter("a")), {"b"}),
        (replace(RIGHT, effects=Counter("a")), {"b"}),
        (replace(RIGHT, purchases={"a"}), {"b"}),
        (replace(RIGHT, purchases={"a", "b", "c"}), {"c"}),
    ],
    ids=[
        "a promised job is not in the ledger",
        "a job has not ended",
        "an innocent job died",
        "a done job left no mark",
        "a done job never reached the provider",
        "a job without its purchase",
        "a purchase without its job",
    ],
)
def test_what_is_missing_is_lost_and_turns_the_verdict_red(observed: Observed, lost: set[str]) -> None:
    verdict = verdict_on(observed)
    assert observed.lost == lost
    assert not verdict.is_right
    assert "lost=1 " in verdict.line()


@pytest.mark.parametrize(
    "observed",
    [
        replace(RIGHT, marks=Counter("aab")),
        replace(RIGHT, effects=Counter("aab")),
        replace(RIGHT, marks=Counter("abx")),
        replace(RIGHT, states={"a": "dead", "b": "done"}, poison={"a": "dead"}, bought={"a", "b"}),
    ],
    ids=["marked twice", "charged twice", "a mark of no job", "a dead job left its mark"],
)
def test_an_effect_too_many_is_a_duplicate_and_turns_the_verdict_red(observed: Observed) -> None:
    verdict = verdict_on(observed)
    assert not verdict.is_right
    assert verdict.line().endswith("duplicated=1")


def test_a_fault_that_never_fired_has_shown_nothing() -> None:
    assert verdict_on(RIGHT, fired=0).all_problems == ["it never fired, so nothing was shown"]


def test_poison_must_end_as_it_is_meant_to_and_is_not_taken_for_lost() -> None:
    ended = replace(
        RIGHT, states={**RIGHT.states, "p": "dead"}, poison={"p": "dead"}, promised=KEYS | {"p"},
    )  # fmt: skip
    assert verdict_on(ended).is_right
    assert verdict_on(replace(ended, states={**RIGHT.states, "p": "running"})).all_problems == [
        "p is running and should be dead"
    ]
    assert verdict_on(replace(ended, states=RIGHT.states)).all_problems == [
        "p is gone and should be dead",
        "lost: p",
    ]


def test_what_a_fault_expected_in_vain_turns_the_verdict_red() -> None:
    assert not verdict_on(RIGHT, problems=("deaf: worker1",)).is_right
