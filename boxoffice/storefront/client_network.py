"""Which network a request comes from: one who asks too often is told to pause, whoever sits in it.

The address is the one that connected to us. Behind a proxy (``TRUSTED_PROXY``) it is the last one in
``X-Forwarded-For``, which the proxy has written there itself: what stands before it anybody can make up.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError
from notifications.limits.askers import may_ask

IPV6_PREFIX = 64
"""Bits. Whoever has one address of IPv6 has all those that begin alike."""


class TooManyFromHere(BoxOfficeError):
    __doc__ = gettext_noop("Many people have asked from your network in a short time. Try again in ten minutes.")
    status_code = 429


def require_few_from_here(request: HttpRequest, *, what: str) -> None:
    """Count that this network asks for ``what`` once more. Raises TooManyFromHere where that was too often.

    For what stores or mails something to an address that anybody can type. Passes where the network is not known, as
    behind a socket that is a file. One round trip to Redis, or none while it is away.
    """
    network = network_of(request)
    if network and not may_ask(what=what, network=network):
        raise TooManyFromHere


def network_of(request: HttpRequest) -> str:
    """The address of IPv4, or the network of IPv6, that the request comes from; empty where that is not known."""
    address = _address(request.META.get("REMOTE_ADDR", ""))
    if settings.TRUSTED_PROXY:
        address = _address(request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2]) or address
    if isinstance(address, IPv6Address):
        return str(ip_network((address.packed, IPV6_PREFIX), strict=False))
    return str(address or "")


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """The address in the text, which some proxies write with its port."""
    text = text.strip()
    bare = text[1:].partition("]")[0] if text.startswith("[") else text.partition(":")[0] if "." in text else text
    for each in (text, bare):
        try:
            address = ip_address(each)
        except ValueError:
            continue
        return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
    return None
