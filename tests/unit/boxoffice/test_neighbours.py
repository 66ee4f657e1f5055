"""What is one slip away from a word."""

from __future__ import annotations

import pytest

from boxoffice.search.neighbours import LONGEST, alphabet_of, neighbours


@pytest.mark.parametrize("meant", ["jonas", "jnoa", "jnas", "jnoass", "jmoas", "noas", "njoas"])
def test_a_letter_too_many_too_few_another_or_two_swapped_is_one_slip(meant: str) -> None:
    assert meant in neighbours("jnoas", alphabet=alphabet_of("jnoas"))


@pytest.mark.parametrize("other", ["jnoas", "", "jonasz", "jonsa", "janos"])
def test_the_word_itself_and_what_is_two_slips_away_are_left_out(other: str) -> None:
    assert other not in neighbours("jnoas", alphabet=alphabet_of("jnoas"))


def test_letters_of_other_scripts_are_forgiven_as_well() -> None:
    assert "наталья" in neighbours("нателья", alphabet=alphabet_of("нателья"))
    assert "γιωργος" in neighbours("γιοργος", alphabet=alphabet_of("γιοργος"))


def test_what_was_pasted_has_no_neighbours_however_long_it_is() -> None:
    assert neighbours("a" * (LONGEST + 1), alphabet="abc") == set()
    assert len(neighbours("a" * LONGEST, alphabet=alphabet_of("a"))) < 60 * LONGEST
