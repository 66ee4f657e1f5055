"""What a target's text may be, and its parts. Pure: this is all that is said before a name is looked up.

The text is read in one strict form. Whatever two programs could read in two ways (a backslash, an @, a number for a
name) is refused, so that the host that is checked is the host that browsers go to.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from posixpath import normpath
from urllib.parse import quote, unquote, urlsplit

from snip.scan.hosts import read_host
from snip.scan.policy import DEFAULT_PORTS, Policy, site_of
from snip.scan.refusals import Reason, Refused

LONGEST = 2000
"""Characters, as the link's row holds them."""

_FORM = re.compile(
    r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<rest>(?:/[^?#]*)?(?:\?[^#]*)?)(?:#.*)?", re.I | re.S
)
_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>[0-9]{1,5}))?")
_FORBIDDEN = re.compile(r"[<>\"`{}|^\[\]]")
_KEPT = "/?%:@!$&'()*+,;=~-._"


@dataclass(frozen=True)
class Target:
    """An address that may be asked for. host: ASCII. path: with its query, ASCII, begins with a slash."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def address(self) -> str:
        """The whole address in ASCII, without its fragment."""
        usual = DEFAULT_PORTS[self.scheme] == self.port
        return f"{self.scheme}://{self.host}{'' if usual else f':{self.port}'}{self.path}"


@dataclass(frozen=True)
class OwnPage:
    """A page of our own site: nothing has to be asked for."""


def read_target(text: str, *, policy: Policy) -> Target | OwnPage:
    """The parts of an address. Raises Refused with the first reason that keeps it from going live."""
    _refuse_odd_characters(text)
    found = _FORM.fullmatch(text)
    if found is None:
        raise Refused(Reason.SCHEME)
    scheme, authority, rest = found["scheme"].lower(), found["authority"], found["rest"]
    if "@" in authority:
        raise Refused(Reason.CREDENTIALS)
    if policy.short_site and _is_of(text, policy.short_site, by_any_scheme=True):
        raise Refused(Reason.SHORT_LINK)
    if policy.own_site and _is_of(text, policy.own_site, by_any_scheme=False):
        return OwnPage()
    if _FORBIDDEN.search(rest):
        raise Refused(Reason.FORBIDDEN)
    parts = _PORT.fullmatch(authority)
    if parts is None:
        raise Refused(Reason.PORT if authority.count(":") == 1 else Reason.HOST)
    host = read_host(parts["host"])
    port = int(parts["port"]) if parts["port"] else DEFAULT_PORTS[scheme]
    if port != DEFAULT_PORTS[scheme] and port not in policy.ports:
        raise Refused(Reason.PORT)
    path = quote(rest, safe=_KEPT)
    return Target(scheme, host, port, path if path.startswith("/") else f"/{path}")


def _refuse_odd_characters(text: str) -> None:
    if not text:
        raise Refused(Reason.EMPTY)
    if len(text) > LONGEST:
        raise Refused(Reason.TOO_LONG)
    if "\\" in text:
        raise Refused(Reason.BACKSLASH)
    for character in text:
        if character.isspace() or unicodedata.category(character)[0] == "Z":
            raise Refused(Reason.WHITESPACE)
        # Controls, what turns the direction of writing around, surrogates, and what no standard knows.
        if unicodedata.category(character)[0] == "C" or character in _INVISIBLE:
            raise Refused(Reason.CONTROL)


# Letters and marks by their category, and nothing to the eye.
_INVISIBLE = "\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5" + "".join(map(chr, range(0xFE00, 0xFE10)))


def _is_of(text: str, site: str, *, by_any_scheme: bool) -> bool:
    """Whether ``text`` is a page of ``site``, as browsers compare: scheme, host, port, and where the path begins.

    by_any_scheme: whether http and https count as one, each on its usual port.
    """
    try:
        theirs, ours = site_of(text), site_of(site)
    except ValueError:
        return False
    if by_any_scheme:
        theirs, ours = _without_scheme(theirs), _without_scheme(ours)
    return theirs == ours and _path(text).startswith(_path(site))


def _without_scheme(site: tuple[str, str, int | None]) -> tuple[str, str, int | None]:
    scheme, host, port = site
    return "", host, None if port == DEFAULT_PORTS.get(scheme) else port


def _path(text: str) -> str:
    """Without detours, since browsers take them out: ``/x/../s`` and ``/%73`` are ``/s``. Ends with a slash."""
    return normpath("/" + unquote(urlsplit(text).path).lstrip("/")).rstrip("/") + "/"
