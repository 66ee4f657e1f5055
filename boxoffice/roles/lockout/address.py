"""From which address somebody logs in."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "0.0.0.0"  # noqa: S104  (a socket without an address, such as a file, and nothing that is listened on)


IPV6_PREFIX = 64
"""Bits of a network that one household or server has for itself."""


def address_of(request: HttpRequest) -> str:
    """The address of whoever asks, of IPv6 the first of its network; UNKNOWN where there is none.

    It is the connection's, whatever headers say: anybody can send those. Behind a proxy that is trusted it is what the
    proxy has added last to X-Forwarded-For: its own connection's. With more than one proxy, the inner one must pass the
    outer one's on.
    """
    if settings.BEHIND_TRUSTED_PROXY:
        *_others, nearest = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        return _valid(nearest) or _valid(request.META.get("REMOTE_ADDR", "")) or UNKNOWN
    return _valid(request.META.get("REMOTE_ADDR", "")) or UNKNOWN


def _valid(text: str) -> str:
    """The address in ``1.2.3.4``, ``1.2.3.4:5678``, ``[::1]:5678`` or ``::1``, in one form; empty for what is none.

    Of IPv6 it is that of the network: whoever has one address of it has all, and would guess from each five times.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((address.packed, IPV6_PREFIX), strict=False).network_address)
