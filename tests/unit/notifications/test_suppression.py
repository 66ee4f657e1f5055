"""Whose mail is suppressed, and who may lift it."""

from __future__ import annotations

import pytest

from jobs.errors import ReasonMissing
from notifications.suppression.fold import folded
from notifications.suppression.lift_suppression import lift_suppression


@pytest.mark.parametrize(("by", "reason"), [("", "why"), ("maria", " ")])
def test_a_suppression_is_not_lifted_without_a_name_and_a_reason(by: str, reason: str) -> None:
    with pytest.raises(ReasonMissing):
        lift_suppression(address="ada@example.org", by=by, reason=reason)


@pytest.mark.parametrize(
    ("typed", "form"),
    [
        (" Ada@Example.ORG", "ada@example.org"),
        ("ada@Bücher.example", "ada@xn--bcher-kva.example"),
        ("JÜRGEN@example.org", "jürgen@example.org"),
        ("No Address", "no address"),
    ],
)
def test_an_address_is_known_however_it_is_typed(typed: str, form: str) -> None:
    assert folded(typed) == form
