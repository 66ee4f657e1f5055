"""From which address somebody logs in."""

from __future__ import annotations

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "0.0.0.0"  # noqa: S104  (a socket without an address, such as a file, and nothing that is listened on)


def address_of(request: HttpRequest) -> str:
    """The address of whoever asks; UNKNOWN where there is none.

    It is the connection's, whatever headers say: anybody can send those. Behind a proxy that is trusted it is what the
    proxy has added last to X-Forwarded-For: its own connection's. With more than one proxy, the inner one must pass the
    outer one's on.
    """
    if settings.BEHIND_TRUSTED_PROXY:
        *_others, nearest = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        return _valid(nearest) or _valid(request.META.get("REMOTE_ADDR", "")) or UNKNOWN
    return _valid(request.META.get("REMOTE_ADDR", "")) or UNKNOWN


def _valid(text: str) -> str:
    """The address in ``1.2.3.4``, ``1.2.3.4:5678``, ``[::1]:5678`` or ``::1``, in one form; empty for what is none."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text.partition("%")[0]))
    except ValueError:
        return ""
