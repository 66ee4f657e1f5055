"""The PDF as a person, a printer, a screen reader and a scanner meet it. No database: the renderer sees texts only."""

from __future__ import annotations

import io
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from django.utils import translation
from PIL import Image
from pypdf import PdfReader

from inventory.models import PriceTier, Seat, Show, Venue
from tickets.errors import AssetRefused
from tickets.issue_tickets import render_document
from tickets.models import Ticket
from tickets.qr import read_ticket, sign_ticket
from tickets.render_tickets import ASSETS, OwnAssets, render_tickets
from tickets.ticket_face import faces_of

MM = 72 / 25.4  # points
LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftx"[:80]


def ticket(**texts: Any) -> Ticket:
    """A ticket that was never stored, with these texts in place of the usual ones."""
    given = {
        "title": "The Winter’s Tale",
        "subtitle": "in a new translation",
        "venue": "Kammertheater",
        "address": "Ufer 1\nBerlin",
        "zone": "Stalls left",
        "row": "C",
        "number": "12",
        "tier": "Category A",
        "holder_name": "Ada Lovelace",
        "language": "en",
        "code": "K7QM2XWD",
        **texts,
    }
    venue = Venue(name=given["venue"], address=given["address"], city="Berlin", time_zone="Europe/Berlin")
    show = Show(
        id=42,
        venue=venue,
        title=given["title"],
        subtitle=given["subtitle"],
        starts_at=datetime(2026, 12, 12, 18, 30, tzinfo=UTC),
        doors_at=datetime(2026, 12, 12, 17, 30, tzinfo=UTC),
    )
    seat = Seat(zone=given["zone"], row=given["row"], number=given["number"], tier=PriceTier(name=given["tier"]))
    return Ticket(
        order_id=1,
        order_code="QH7K3XPW",
        show=show,
        seat=seat,
        code=given["code"],
        holder_name=given["holder_name"],
        language=given["language"],
    )


def rendered(*tickets: Ticket) -> bytes:
    return render_document(tickets=tickets or (ticket(),))


def text_of(pdf: bytes, page: int = 0) -> str:
    return " ".join(PdfReader(io.BytesIO(pdf)).pages[page].extract_text().split())


def unspaced(text: str) -> str:
    """Without white space: where a line ends, the reader of a PDF sees a space or none."""
    return "".join(text.split())


def picture_of(pdf: bytes, *, dpi: int, page: int = 0) -> Image.Image:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return document[page].render(scale=dpi / 72).to_pil().convert("L")
    finally:
        document.close()


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


def test_the_document_has_title_language_and_structure_for_screen_readers() -> None:
    reader = PdfReader(io.BytesIO(rendered(ticket(language="de"))))
    root = reader.trailer["/Root"]
    assert reader.metadata is not None
    assert "The Winter’s Tale" in str(reader.metadata.title)
    assert root["/Lang"] == "de"
    assert root["/MarkInfo"]["/Marked"]
    assert "/StructTreeRoot" in root
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]


def test_the_qr_code_is_35_mm_or_more_stands_in_the_front_quarter_and_keeps_its_quiet_zone() -> None:
    dpi = 300
    picture = picture_of(rendered(), dpi=dpi)
    (found,) = zxingcpp.read_barcodes(picture)
    assert read_ticket(payload=found.text).code == "K7QM2XWD"
    assert found.ec_level == "M"
    corners = [
        found.position.top_left,
        found.position.top_right,
        found.position.bottom_left,
        found.position.bottom_right,
    ]
    left, right = min(corner.x for corner in corners), max(corner.x for corner in corners)
    top, bottom = min(corner.y for corner in corners), max(corner.y for corner in corners)
    millimetre = dpi / 25.4
    assert (right - left) / millimetre > 35
    assert (bottom - top) / millimetre > 35
    assert right / millimetre < 105 - 5
    assert bottom / millimetre < 148.5 - 5
    module = (right - left) / 37
    quiet = picture.crop(
        (int(left - 3.8 * module), int(top - 3.8 * module), int(right + 3.8 * module), int(bottom + 3.8 * module))
    )
    inside = (
        int(3.8 * module) - 3,
        int(3.8 * module) - 3,
        quiet.width - int(3.8 * module) + 3,
        quiet.height - int(3.8 * module) + 3,
    )
    quiet.paste(255, inside)
    assert quiet.getextrema() == (255, 255)


@pytest.mark.parametrize("dpi", [72, 110, 150])
def test_the_qr_code_survives_a_bad_printer_in_black_and_white(dpi: int) -> None:
    picture = picture_of(rendered(), dpi=dpi).point(lambda grey: 255 if grey > 110 else 0)
    assert zxingcpp.read_barcodes(picture)[0].text == sign_ticket(code="K7QM2XWD", show_id=42)


def test_all_codes_decode_whatever_their_bits_since_the_mask_is_fixed() -> None:
    tickets = [ticket(code=f"{number:08d}") for number in range(0, 99_000_000, 5_000_000)]
    pdf = rendered(*tickets)
    for page in range(len(tickets)):
        (found,) = zxingcpp.read_barcodes(picture_of(pdf, dpi=100, page=page))
        assert read_ticket(payload=found.text).code == tickets[page].code


def test_the_same_tickets_give_the_same_bytes() -> None:
    assert rendered() == rendered()


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


opened: list[str] | None = None


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if opened is not None and event in {"open", "socket.connect", "socket.getaddrinfo", "urllib.Request"}:
        opened.append(f"{event} {arguments[0] if event != 'socket.connect' else arguments[1]}")


sys.addaudithook(_watch)


@contextmanager
def watched() -> Iterator[list[str]]:
    """The files and connections that Python opens inside the block."""
    global opened
    opened = []
    try:
        yield opened
    finally:
        opened = None


@pytest.fixture
def web_server() -> Iterator[tuple[str, list[object]]]:
    """A listening port and the connections made to it."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections: list[object] = []

    def accept() -> None:
        while True:
            try:
                connections.append(listener.accept())
            except OSError:
                return

    thread = threading.Thread(target=accept)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/x.png", connections
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


@pytest.mark.parametrize("field", ["title", "subtitle", "venue", "address", "zone", "tier", "holder_name"])
def test_html_in_a_text_is_text_and_the_renderer_fetches_nothing_for_it(
    field: str, web_server: tuple[str, list[object]]
) -> None:
    url, connections = web_server
    rendered()  # fonts and style are read once, before we look
    with watched() as seen:
        pdf = rendered(
            ticket(**{field: f"<img src=file:///etc/passwd><img src={url}><link rel=stylesheet href={url}>"})
        )
    assert unspaced(f"<img src=file:///etc/passwd><img src={url}>") in unspaced(text_of(pdf))
    assert not [entry for entry in seen if "passwd" in entry or "http" in entry or entry.startswith("socket")]
    assert connections == []
    assert "root:" not in text_of(pdf)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "http://127.0.0.1:1/", "https://example.org/", "ftp://127.0.0.1/", "data:text/css,x",
     "asset:../models.py", "asset:fonts/../../models.py", "asset:ticket.css", "qr:7"],
)  # fmt: skip
def test_what_is_not_on_the_list_of_assets_is_refused_unread(url: str) -> None:
    with watched() as seen, pytest.raises(LookupError):
        OwnAssets({"qr:0": b""}).fetch(url)
    assert seen == []


def test_a_template_that_asks_for_something_else_stops_the_rendering(tmp_path: Any, settings: Any) -> None:
    folder = tmp_path / "tickets"
    folder.mkdir()
    (folder / "ticket.html").write_text("<img src='file:///etc/passwd' alt='x'>")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    with translation.override("en"), pytest.raises(AssetRefused):
        render_tickets(faces=faces_of([ticket()]), title="x", language="en")


def test_every_listed_asset_exists() -> None:
    assert ASSETS
    assert all(path.is_file() for path in ASSETS.values())
