"""A ticket of the tests, rendered, and read again as a person, a printer or a scanner reads it. No database."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import pypdfium2
from PIL import Image
from pypdf import PdfReader

from inventory.models import PriceTier, Seat, Show, Venue
from tickets.models import Ticket
from tickets.write_document import render_document

MM = 72 / 25.4
"""A millimetre in points."""


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
    venue = Venue(
        name=given["venue"], address=given["address"], city="Berlin", time_zone=given.get("time_zone", "Europe/Berlin")
    )
    show = Show(
        id=42,
        venue=venue,
        title=given["title"],
        subtitle=given["subtitle"],
        starts_at=datetime(2026, 12, 12, 18, 30, tzinfo=UTC),
        doors_at=datetime(2026, 12, 12, 17, 30, tzinfo=UTC),
    )
    tier = PriceTier(name=given["tier"], wheelchair=given.get("wheelchair", False))
    seat = Seat(zone=given["zone"], row=given["row"], number=given["number"], tier=tier)
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
