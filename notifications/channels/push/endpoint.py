"""Which addresses a push message may be sent to: those of push services that the settings name, and no others.

The address comes from a browser, that is from anybody. An address inside our own network, or one that leads there by a
detour, would make this server ask for it. So only names from the list are taken, in exactly the form in which browsers
write addresses: whatever two programs could read in two ways is refused, and nothing is resolved or normalized.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings

from notifications.models.push_subscription import LONGEST_ENDPOINT

# Small letters only: a browser writes a host no other way. No userinfo, no fragment, no backslash, no dot at the end.
_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS = re.compile(
    rf"(?P<site>https?://(?P<host>{_LABEL}(?:\.{_LABEL})*)(?::(?P<port>[1-9][0-9]{{1,4}}))?)"
    r"/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]+"
)


def is_of_a_push_service(endpoint: str, *, services: Sequence[str] | None = None) -> bool:
    """Whether ``endpoint`` is an address at one of ``services``, by default those of the setting PUSH_SERVICES.

    services: hosts (``fcm.googleapis.com``), hosts below a name (``*.notify.windows.com``), both by HTTPS on its own
    port; or whole sites (``http://127.0.0.1:8027``), for a stand-in.
    """
    if len(endpoint) > LONGEST_ENDPOINT:
        return False
    found = _ADDRESS.fullmatch(endpoint)
    if found is None:
        return False
    by_https = found["site"].startswith("https://") and found["port"] is None
    listed = settings.PUSH_SERVICES if services is None else services
    return any(_fits(service, site=found["site"], host=found["host"] if by_https else "") for service in listed)


def service_of(endpoint: str) -> str:
    """The push service's host, for people: the rest of the address is a secret."""
    return urlsplit(endpoint).netloc


def _fits(service: str, *, site: str, host: str) -> bool:
    if "://" in service:
        return site == service.rstrip("/")
    if service.startswith("*."):
        return host.endswith(service[1:]) and len(host) > len(service) - 1
    return host == service and host != ""
