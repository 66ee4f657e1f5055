"""Words in the cells of exports: no spreadsheet takes them for a formula."""

from __future__ import annotations

import pytest

from boxoffice.exports.cells import text


@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
@pytest.mark.parametrize(
    "before", ["", " ", "\t", "\r", "\n", "\u00a0", "\u3000", "\ufeff", "\u200b", "\u202e", '"', "' "]
)
def test_no_cell_begins_like_a_formula_whatever_stands_unseen_before_it(before: str, sign: str) -> None:
    assert text(f"{before}{sign}1+1").startswith("'")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "\n", "\r"])
def test_a_spreadsheet_that_parts_cells_elsewhere_finds_no_formula_inside_a_text(delimiter: str) -> None:
    parts = text(f"Ada{delimiter}=1+1{delimiter} @SUM(A1)").split(delimiter)
    assert parts == ["Ada", "'=1+1", "' @SUM(A1)"]


@pytest.mark.parametrize(
    "words", ["", "Ada Lovelace", "O'Hara-Smith", "Romeo + Juliet", "ada+box@example.org", "Nights, 2; a = b", '"Hm"']
)
def test_words_that_are_no_formula_stay_as_they_are(words: str) -> None:
    assert text(words) == words


def test_a_hostile_text_costs_no_more_than_its_length() -> None:
    assert text("\t" * 4000 + "x").startswith("'")
