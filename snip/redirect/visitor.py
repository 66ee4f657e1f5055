"""What is kept of a visitor: a country, a class of user agent, the site that he came from. Never his address.

Every redirect makes a click, and most clicks are made of a code and of headers that came before: so what was made of
those is remembered in bytes, and a click is an id and three such parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from snip.event import AgentClass, PackedVisitor, join, pack_code, pack_visitor
from snip.redirect.agent import agent_class
from snip.redirect.country import CountryFile, address_told, country_told
from snip.redirect.referrer import referrer_host
from snip.redirect.setup import Setup
from snip.uuid7 import uuid7_bytes

_REMEMBERED = 4_096
"""User agents, referrers, countries, all of them together, and codes, whose reading is kept: most visitors bring one of
few hundred."""
_LONGEST = 512
"""Bytes of a header that are read, so that nobody fills the memory with them."""

_PREFETCHES = frozenset((b"sec-purpose", b"purpose", b"x-purpose", b"x-moz"))
"""Headers by which a browser says that it fetches what nobody has clicked on yet. An empty one says nothing."""

Headers = Iterable[tuple[bytes, bytes]]


class Clicks:
    """Makes clicks of requests."""

    def __init__(self, setup: Setup) -> None:
        self._country_header = setup.country_header.encode("latin-1")
        self._behind_proxy = setup.behind_proxy
        self._file = CountryFile(setup.geoip_file) if setup.geoip_file else None
        self._countries_can_be_known = bool(setup.country_header or setup.geoip_file)
        self._agent = _remembering(agent_class)
        self._referrer = _remembering(referrer_host)
        self._country = _remembering(country_told)
        self._code = lru_cache(_REMEMBERED)(pack_code)
        self._visitor = lru_cache(_REMEMBERED)(self._read_visitor)

    def pack(self, code: str, scope: Mapping[str, Any]) -> bytes:
        """Return the packed click of a request for ``code``, whose headers and address are in its ASGI ``scope``.

        Raises MalformedClick for what is no code.
        """
        told = dict(scope["headers"])
        country = self._country_of(told, scope.get("client")) if self._countries_can_be_known else ""
        is_prefetch = not _PREFETCHES.isdisjoint(told) and any(map(told.get, _PREFETCHES))
        user_agent, referer = told.get(b"user-agent", b""), told.get(b"referer", b"")
        visitor = self._visitor(user_agent[:_LONGEST], referer[:_LONGEST], country, is_prefetch)
        return join(uuid7_bytes(), self._code(code), visitor)

    def _read_visitor(self, user_agent: bytes, referer: bytes, country: str, is_prefetch: bool) -> PackedVisitor:
        agent = self._agent(user_agent)
        if is_prefetch and not agent.is_bot:
            agent = AgentClass.PREVIEW
        return pack_visitor(agent=agent, country=country, referrer=self._referrer(referer))

    def _country_of(self, told: Mapping[bytes, bytes], client: Sequence[Any] | None) -> str:
        country = self._country(told.get(self._country_header, b"")[:8])
        if country or self._file is None:
            return country
        forwarded = told.get(b"x-forwarded-for", b"")
        if self._behind_proxy and forwarded:
            return self._file.country_of(address_told(forwarded.decode("latin-1")))
        return self._file.country_of(client[0] if client else "")


Read = TypeVar("Read")


def _remembering(read: Callable[[str], Read]) -> Callable[[bytes], Read]:
    @lru_cache(maxsize=_REMEMBERED)
    def remembered(header: bytes) -> Read:
        return read(header.decode("latin-1"))

    return remembered
