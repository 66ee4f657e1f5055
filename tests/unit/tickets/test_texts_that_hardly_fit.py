"""Long words, long addresses, wide seats and names in other scripts on the ticket."""

from __future__ import annotations

import pypdfium2
import pytest

from tests.printed_tickets import MM, picture_of, rendered, text_of, ticket, unspaced

LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftx"[:80]


@pytest.mark.parametrize(
    "field", ["title", "subtitle", "venue", "address", "zone", "row", "number", "tier", "holder_name"]
)
def test_a_word_of_80_letters_wraps_and_leaves_its_quarter_nowhere(field: str) -> None:
    length = 50 if field in {"row", "number"} else 80
    pdf = rendered(ticket(**{field: LONG_WORD[:length]}))
    document = pypdfium2.PdfDocument(pdf)
    page = document[0]
    characters = page.get_textpage()
    printed = characters.get_text_range().replace("\r\n", "").replace("\n", "").replace("\ufffe", "")
    boxes = [characters.get_charbox(index) for index in range(characters.count_chars())]
    document.close()
    assert LONG_WORD[:20] in printed
    assert LONG_WORD[length - 10 : length] in printed
    front = [box for box in boxes if box[0] < 105 * MM and box[2] > box[0]]
    assert max(box[2] for box in front) < 98 * MM
    assert min(box[1] for box in front) > (297 - 148.5) * MM


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "title", ["Nora", "Der Besuch der alten Dame", "A Midsummer Night’s Dream, told by the Mechanicals", "Long " * 40]
)
def test_the_address_is_never_cut_off_by_the_seat_below_it(title: str, language: str) -> None:
    document = pypdfium2.PdfDocument(
        rendered(ticket(title=title, language=language, address="Königstraße 110\n10625 Berlin"))
    )
    characters = document[0].get_textpage()
    start, length = characters.search("10625 Berlin").get_next()
    lowest = min(characters.get_charbox(index)[1] for index in range(start, start + length))
    document.close()
    assert (297 * MM - lowest) / MM < 74


@pytest.mark.parametrize(
    ("row", "number"),
    [
        ("C", "12"),
        ("AA", "307"),
        ("WW", "MMM1"),
        ("12", "WM23"),
        ("XXVIII", "12345"),
        ("", "14"),
        ("Loge 4", "7a"),
        ("", ""),
    ],
)
def test_row_and_seat_are_always_whole(row: str, number: str) -> None:
    pdf = rendered(ticket(row=row, number=number))
    assert (f"Seat {number}" if number else "Any free place") in text_of(pdf)
    assert (f"Row {row}" in text_of(pdf)) == bool(row)
    line = picture_of(pdf, dpi=72).crop((0, 247, 297, 286))
    dark_columns = [
        column for column in range(line.width) if line.crop((column, 0, column + 1, line.height)).getextrema()[0] < 200
    ]
    assert max(dark_columns) < 96.5 * MM


@pytest.mark.parametrize(
    "name",
    [
        "Ángela Müller-Lüdenscheidt",
        "Наталія Попова",
        "Αντιγόνη Παπαδοπούλου",
        "Nguyễn Thị Ánh",
        "Łucja Żądło",
        "O’Brien & <Sons>",
    ],
)
def test_names_in_the_scripts_of_our_own_font_come_out_whole(name: str) -> None:
    assert unspaced(name) in unspaced(text_of(rendered(ticket(holder_name=name))))


def test_control_characters_in_a_name_are_left_out_and_harm_nothing() -> None:
    assert "Ada Lovelace" in text_of(rendered(ticket(holder_name="Ada\x00\x1b\x0cLovelace\ufffe")))
