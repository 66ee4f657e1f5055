"""A ticket's QR code as a picture."""

from __future__ import annotations

import io

import segno
from PIL import Image

QUIET_ZONE = 4  # modules of white on each side, as the standard asks
# Trying all eight masks and scoring them takes segno 11 ms and finds nothing here: most of the payload is a signature,
# whose bits look random under any mask.
MASK = 3

_GREYS = bytes([255, 0])  # of a light and of a dark module


def qr_png(*, payload: str, pixels_per_module: int = 1) -> bytes:
    """The payload as a black and white PNG with its quiet zone: error level M, alphanumeric mode."""
    code = segno.make_qr(payload, error="m", mode="alphanumeric", boost_error=False, mask=MASK)
    modules = len(code.matrix)
    # In eight bits of grey: WeasyPrint would turn one bit into three bytes of colour, at four times the cost.
    picture = Image.new("L", (modules + 2 * QUIET_ZONE,) * 2, 255)
    greys = bytes(_GREYS[module] for row in code.matrix for module in row)
    picture.paste(Image.frombytes("L", (modules, modules), greys), (QUIET_ZONE, QUIET_ZONE))
    side = picture.width * pixels_per_module
    file = io.BytesIO()
    picture.resize((side, side), Image.Resampling.NEAREST).save(file, "PNG")
    return file.getvalue()
