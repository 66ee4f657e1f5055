"""Base64 for URLs without padding, as all of Web Push writes bytes."""

from __future__ import annotations

import base64
import binascii


def encoded(content: bytes) -> str:
    """The bytes as text."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode("ascii")


def decoded(text: str) -> bytes:
    """The text as bytes. Raises ValueError for what is not in this form; padding is not (RFC 7515, section 2)."""
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(f"{text[:20]!r} is not base64 for URLs") from error
    if encoded(content) != text:
        raise ValueError(f"{text[:20]!r} is not base64 for URLs without padding")
    return content
