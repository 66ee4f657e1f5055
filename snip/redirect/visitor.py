"""What is kept of a visitor: a country, a class of user agent, the site that he came from. Never his address."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

from snip.event import AgentClass, Click
from snip.redirect.agent import agent_class
from snip.redirect.country import CountryFile, address_told, country_told
from snip.redirect.referrer import referrer_host
from snip.redirect.setup import Setup
from snip.uuid7 import uuid7

_REMEMBERED = 4_096
"""User agents, referrers and countries whose reading is kept: most visitors bring one of few hundred."""
_LONGEST = 512
"""Bytes of a header that are read, so that nobody fills the memory with them."""

Headers = Iterable[tuple[bytes, bytes]]


class Clicks:
    """Makes clicks of requests."""

    def __init__(self, setup: Setup) -> None:
        self._country_header = setup.country_header.encode("latin-1")
        self._behind_proxy = setup.behind_proxy
        self._file = CountryFile(setup.geoip_file) if setup.geoip_file else None
        self._agent = _remembering(agent_class)
        self._referrer = _remembering(referrer_host)
        self._country = _remembering(country_told)

    def click(self, code: str, *, headers: Headers, peer: str) -> Click:
        """Return the click of a request for ``code`` with these headers, from the address ``peer``."""
        user_agent = referer = country = forwarded = purpose = b""
        for name, value in headers:
            if name == b"user-agent":
                user_agent = value
            elif name == b"referer":
                referer = value
            elif name == b"x-forwarded-for":
                forwarded = value
            elif name in (b"sec-purpose", b"purpose", b"x-purpose", b"x-moz"):
                purpose = value
            elif name == self._country_header:
                country = value
        agent = self._agent(user_agent[:_LONGEST])
        if purpose and not agent.is_bot:
            agent = AgentClass.PREVIEW  # the browser fetches what nobody has clicked on yet
        return Click(
            id=uuid7(),
            code=code,
            country=self._country(country[:8]) or self._by_file(peer, forwarded),
            agent=agent,
            referrer=self._referrer(referer[:_LONGEST]) if referer else "",
        )

    def _by_file(self, peer: str, forwarded: bytes) -> str:
        if self._file is None:
            return ""
        told = address_told(forwarded.decode("latin-1")) if self._behind_proxy and forwarded else peer
        return self._file.country_of(told)


Read = TypeVar("Read")


def _remembering(read: Callable[[str], Read]) -> Callable[[bytes], Read]:
    @lru_cache(maxsize=_REMEMBERED)
    def remembered(header: bytes) -> Read:
        return read(header.decode("latin-1"))

    return remembered
