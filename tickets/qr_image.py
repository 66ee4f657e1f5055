"""A ticket's QR code as a picture."""

from __future__ import annotations

import io

import segno

QUIET_ZONE = 4  # modules of white on each side, as the standard asks
# Trying all eight masks and scoring them takes segno 11 ms and finds nothing here: most of the payload is a signature,
# whose bits look random under any mask.
MASK = 3


def qr_png(*, payload: str, pixels_per_module: int = 1) -> bytes:
    """The payload as a black and white PNG with its quiet zone: error level M, alphanumeric mode.

    One pixel a module is right where the picture is scaled without smoothing, as on paper.
    """
    code = segno.make_qr(payload, error="m", mode="alphanumeric", boost_error=False, mask=MASK)
    picture = io.BytesIO()
    code.save(picture, kind="png", scale=pixels_per_module, border=QUIET_ZONE)
    return picture.getvalue()
