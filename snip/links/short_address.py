"""The address that is printed and clicked."""

from __future__ import annotations

from django.conf import settings


def short_address(code: str) -> str:
    """Where the redirect answers for this code, in full."""
    return f"{settings.SNIP_BASE_URL}/{code}"


def printed_address(code: str) -> str:
    """The same as people read and type it: without what every browser adds by itself."""
    return short_address(code).removeprefix("https://").removeprefix("http://")
