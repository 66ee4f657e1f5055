"""The PDF as a person and a screen reader meet it. No database: the renderer sees texts only."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader

from tests.printed_tickets import MM, rendered, text_of, ticket
from tickets import shortcuts
from tickets.ticket_face import faces_of


def test_each_ticket_has_a_page_of_its_own_in_a4() -> None:
    pages = PdfReader(io.BytesIO(rendered(ticket(), ticket(number="13"), ticket(number="14")))).pages
    assert len(pages) == 3
    assert [(round(page.mediabox.width / MM), round(page.mediabox.height / MM)) for page in pages] == [(210, 297)] * 3


def test_the_text_can_be_selected_and_tells_all_that_the_door_asks_for() -> None:
    text = text_of(rendered(ticket(), ticket(number="13")), page=1)
    for words in (
        "The Winter’s Tale",
        "in a new translation",
        "Saturday 12 December 2026",
        "19:30, Berlin time",
        "Doors open at 18:30",
        "Kammertheater",
        "Ufer 1, Berlin",
        "Stalls left, Category A",
        "Row C Seat 13",
        "Ticket 2 of 2",
        "K7QM-2XWD",
        "Order QH7K3XPW",
        "Ada Lovelace",
    ):
        assert words in text


def test_a_tier_that_is_called_like_its_zone_is_named_once() -> None:
    (face,) = faces_of([ticket(zone="Stalls", tier="Stalls")])
    assert face.section.text == "Stalls"


def test_a_place_for_a_wheelchair_says_so_in_the_words_of_the_ticket_and_once() -> None:
    (english,) = faces_of([ticket(zone="Stalls", tier="Wheelchair place", wheelchair=True)])
    assert english.section.text == "Stalls, Wheelchair place"
    (unnamed,) = faces_of([ticket(zone="Stalls", tier="Category A", wheelchair=True)])
    assert unnamed.section.text == "Stalls, Category A, Wheelchair place"
    assert "Rollstuhlplatz" in text_of(rendered(ticket(tier="Category A", wheelchair=True, language="de")))


def test_the_document_has_title_language_and_structure_for_screen_readers() -> None:
    reader = PdfReader(io.BytesIO(rendered(ticket(language="de"))))
    root = reader.trailer["/Root"]
    assert reader.metadata is not None
    assert "The Winter’s Tale" in str(reader.metadata.title)
    assert root["/Lang"] == "de"
    assert root["/MarkInfo"]["/Marked"]
    assert "/StructTreeRoot" in root
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]


@pytest.mark.parametrize("title", ["The Winter’s Tale", "Rock 🎸 & Roll 🎉"])
def test_the_shortcuts_through_the_renderer_change_no_byte(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = rendered(ticket(title=title))
    assert all(hasattr(module, name) for module, name, _ours in shortcuts._REPLACED)
    monkeypatch.setattr(shortcuts, "_REPLACED", ())
    assert rendered(ticket(title=title)) == quick


@pytest.mark.parametrize("title", ["The Winter’s Tale", "Rock 🎸 & Roll 🎉"])
def test_the_same_tickets_give_the_same_bytes_at_any_time(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = rendered(ticket(title=title))
    for second in ("1", "2000000000"):  # what fontTools takes for the present
        monkeypatch.setenv("SOURCE_DATE_EPOCH", second)
        assert rendered(ticket(title=title)) == now
