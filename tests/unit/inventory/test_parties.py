"""Who sits where in the demo's halls."""

from __future__ import annotations

from itertools import groupby
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from inventory.demo.parties import choose_parties


@given(lengths=st.lists(st.integers(0, 30), max_size=8), share=st.sampled_from([0.1, 0.45, 1.0]), seed=st.integers())
def test_parties_sit_side_by_side_and_leave_nobody_a_single_seat(lengths: list[int], share: float, seed: int) -> None:
    rows = [[100 * nth + place for place in range(length)] for nth, length in enumerate(lengths)]
    taken: set[int] = set()

    for party in choose_parties(rows, share=share, chance=Random(seed)):
        assert 1 <= len(party) <= 5
        assert list(party) == list(range(party[0], party[0] + len(party)))
        assert taken.isdisjoint(party)
        taken.update(party)

    free = [[seat not in taken for seat in row] for row in rows]
    runs = [len(list(run)) for row in free for is_free, run in groupby(row) if is_free]
    assert all(run > 1 for run in runs) or 1 in lengths
    if share == 1.0:
        assert not runs


def test_parties_take_their_share() -> None:
    rows = [list(range(start, start + 20)) for start in range(0, 10_000, 20)]

    for share in (0.2, 0.45, 0.8):
        taken = sum(len(party) for party in choose_parties(rows, share=share, chance=Random(7)))
        assert abs(taken / 10_000 - share) < 0.05
