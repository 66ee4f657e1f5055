"""The list of faults: none hides another, and the short form leaves out no family."""

from __future__ import annotations

from collections import Counter

from tests.chaos.faults import ALL
from tests.chaos.runner import FAMILIES


def test_no_two_faults_have_the_same_name() -> None:
    names = Counter((fault.family, fault.name) for fault in ALL)
    assert [name for name, times in names.items() if times > 1] == []


def test_every_family_is_in_the_short_form() -> None:
    families = {family.__name__.rpartition(".")[2] for family in FAMILIES}
    assert {fault.family for fault in ALL if fault.short} == families
