"""The QR code as a printer puts it on paper and a scanner at the door reads it."""

from __future__ import annotations

import pytest
import zxingcpp

from tests.printed_tickets import picture_of, rendered, ticket
from tickets.qr import read_ticket, sign_ticket


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
