"""What a scan allows and how far it goes: one value, so that tests can give another one."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from urllib.parse import urlsplit

from django.conf import settings

from snip.scan.addresses import Address, is_public

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Policy:
    """own_site: the site (``https://tickets.example.org``) whose pages are ours; they pass without being asked for.

    short_site: where our short links live; a target there leads in circles.
    ports: beside 80 for http and 443 for https. networks: beside the public Internet. Both are for tests alone.

    most_redirects: hops after the target itself. seconds: for the whole scan, names and answers together.
    connect_seconds, name_seconds: for one connection, and for one name. head_bytes, body_bytes: read of one answer.
    """

    own_site: str = ""
    short_site: str = ""
    ports: frozenset[int] = frozenset()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    most_redirects: int = 5
    seconds: float = 20
    connect_seconds: float = 5
    name_seconds: float = 5
    head_bytes: int = 32_768
    body_bytes: int = 65_536

    def may_ask(self, address: Address) -> bool:
        """Whether a request may go to ``address``."""
        return is_public(address) or any(
            address in network for network in self.networks if network.version == address.version
        )


def policy_in_force() -> Policy:
    """That of this installation's settings."""
    return Policy(own_site=settings.PUBLIC_URL, short_site=getattr(settings, "SNIP_BASE_URL", ""))


def site_of(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of an address that is known to be well-formed."""
    parts = urlsplit(url)
    port = DEFAULT_PORTS.get(parts.scheme) if parts.port is None else parts.port
    return parts.scheme, parts.hostname or "", port
