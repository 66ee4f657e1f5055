"""The QR code of a short link, with the address printed below for whoever has no camera at hand. Pure."""

from __future__ import annotations

from html import escape
from io import BytesIO

import segno
from PIL import Image, ImageDraw, ImageFont

from snip.links.short_address import printed_address, short_address

LEVEL = "m"
"""15 % of the modules may be lost: posters are torn, stamped and photographed from the side."""

QUIET_ZONE = 4
"""Modules of white around it, as the standard asks."""

LINE = 6
"""Modules below it for the line of text."""

PNG_WIDTH = 1200
"""Pixels, at least: 10 cm in print at 300 dots per inch."""

_LARGEST_TEXT = 3.4
"""Modules; smaller where the address is long."""

_GLYPH = 0.56
"""How wide a letter of a sans is on average, in its size."""


def qr_svg(code: str) -> str:
    """A picture of its own, in modules as units, so that it scales to any poster."""
    drawn = _code_of(code)
    side = len(drawn.matrix) + 2 * QUIET_ZONE
    path = "".join(
        f"M{x + QUIET_ZONE} {y + QUIET_ZONE}h{length}v1h-{length}z"
        for y, row in enumerate(drawn.matrix)
        for x, length in _runs(row)
    )
    address, size = printed_address(code), _text_size(printed_address(code), side)
    title = escape(short_address(code))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side + LINE}" role="img">'
        f"<title>{title}</title>"
        f'<path fill="#fff" d="M0 0h{side}v{side + LINE}h-{side}z"/>'
        f'<path fill="#000" shape-rendering="crispEdges" d="{path}"/>'
        f'<text x="{side / 2}" y="{side + 1}" font-family="Helvetica,Arial,sans-serif" font-size="{size:.2f}" '
        f'text-anchor="middle" fill="#000">{escape(address)}</text></svg>'
    )


def qr_png(code: str) -> bytes:
    """The same in black and white pixels, for programs that take no SVG."""
    drawn = _code_of(code)
    side = len(drawn.matrix) + 2 * QUIET_ZONE
    scale = -(-PNG_WIDTH // side)
    picture = Image.new("L", (side * scale, (side + LINE) * scale), 255)
    pen = ImageDraw.Draw(picture)
    for y, row in enumerate(drawn.matrix):
        for x, length in _runs(row):
            left, top = (x + QUIET_ZONE) * scale, (y + QUIET_ZONE) * scale
            pen.rectangle((left, top, left + length * scale - 1, top + scale - 1), fill=0)
    address = printed_address(code)
    font = ImageFont.load_default(size=_text_size(address, side) * scale)
    pen.text((side * scale / 2, (side + 1) * scale), address, font=font, fill=0, anchor="ms")
    kept = BytesIO()
    picture.save(kept, "PNG", optimize=True, dpi=(300, 300))
    return kept.getvalue()


def _code_of(code: str) -> segno.QRCode:
    return segno.make_qr(short_address(code), error=LEVEL, boost_error=True)


def _runs(row: bytearray) -> list[tuple[int, int]]:
    """Where dark modules begin in the row, and how many follow each other."""
    runs: list[tuple[int, int]] = []
    for x, dark in enumerate(row):
        if not dark:
            continue
        if runs and sum(runs[-1]) == x:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((x, 1))
    return runs


def _text_size(text: str, side: int) -> float:
    return min(_LARGEST_TEXT, (side - 2) / (len(text) * _GLYPH))
