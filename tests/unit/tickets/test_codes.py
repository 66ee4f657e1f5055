"""Ticket codes are read aloud, typed on a phone and sorted by eye."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tickets import codes


@given(st.binary(min_size=codes.SIZE, max_size=codes.SIZE))
def test_a_code_and_its_bytes_are_the_same_thing(data: bytes) -> None:
    assert codes.to_bytes(codes.from_bytes(data)) == data


def test_a_code_typed_with_lookalikes_dashes_and_small_letters_is_found() -> None:
    assert codes.typed(" oil1-2xwd ") == "01112XWD"
    assert codes.typed(codes.grouped("K7QM2XWD")) == "K7QM2XWD"


def test_codes_have_no_letters_that_look_like_others() -> None:
    assert not set("ILOU") & set(codes.ALPHABET)
    assert len(set(codes.ALPHABET)) == 32


def test_codes_differ() -> None:
    assert len({codes.new_code() for _ in range(1000)}) == 1000


@pytest.mark.parametrize("text", ["", "K7QM2XW", "K7QM2XWDX", "K7QM2XWU"])
def test_what_is_no_code_has_no_bytes(text: str) -> None:
    with pytest.raises(ValueError):
        codes.to_bytes(text)
