"""Where a page leads on to without a redirect's status: the header Refresh, and ``<meta http-equiv="refresh">``. Pure.

A tag counts wherever it stands, in a comment too: what browsers take for a comment or a script differs from what any
parser of ours would, and a page that leads to one place for us and to another for people must not pass. What a script
does is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from snip.scan.join import join
from snip.scan.refusals import Reason, Refused

MOST_TAGS = 500
"""Of ``<meta>`` and ``<base>`` in the part of a page that is read; honest ones have some dozens."""

MOST_ATTRIBUTES = 100
"""Of one of them; honest ones have three."""

_BLANKS = " \t\n\r\f"
"""What HTML takes for white space; Python takes more."""

_B = f"[{_BLANKS}]"
_REFRESH = re.compile(rf"{_B}*[0-9.]*{_B}*[;,{_BLANKS}]{_B}*(?:url{_B}*={_B}*)?(?P<to>.*)", re.I | re.S)
"""``0; url=https://…``, with or without quotes; without an address the page only loads itself anew."""

_TAG = re.compile(r"<(?:[a-z0-9_.-]*:)?(?P<name>meta|base)(?=[ \t\n\r\f/>])", re.I)
_ATTRIBUTE = re.compile(
    rf"[{_BLANKS}/]*(?P<name>[^{_BLANKS}/>][^{_BLANKS}/>=]*)"
    rf"""(?:{_B}*={_B}*(?:"(?P<in_two>[^"]*)"|'(?P<in_one>[^']*)'|(?P<bare>[^{_BLANKS}>"'][^{_BLANKS}>]*)))?"""
)


def where_it_goes(*, address: str, refreshes: Sequence[str], page: str) -> str:
    """The whole address that a browser at ``address`` goes on to by itself; empty where it stays.

    refreshes: the headers. Raises Refused where it could be more than one.
    """
    bases, contents = [address], list[str]()
    for name, given in _tags(page):
        if name == "base" and given.get("href"):
            bases.append(join(address, given["href"]))
        elif name == "meta" and given.get("http-equiv", "").strip().lower() == "refresh":
            contents.append(given.get("content", ""))
    found = {join(address, to) for content in refreshes if (to := _to(content))}
    found |= {join(base, to) for content in contents if (to := _to(content)) for base in bases}
    if len(found) > 1:
        raise Refused(Reason.UNCLEAR)
    return found.pop() if found else ""


def _to(content: str) -> str:
    found = _REFRESH.fullmatch(content)
    to = found["to"].strip(_BLANKS) if found else ""
    return to[1:].partition(to[0])[0] if to[:1] in ("'", '"') else to


def _tags(page: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each ``<meta>`` and ``<base>`` that ends, with its attributes. Raises Refused for a page that is nothing else."""
    for number, tag in enumerate(_TAG.finditer(page)):
        if number >= MOST_TAGS:
            raise Refused(Reason.UNCLEAR)
        given = _attributes(page, tag.end())
        if given is not None:
            yield tag["name"].lower(), given


def _attributes(page: str, start: int) -> dict[str, str] | None:
    """As browsers read them: of two with one name the first counts. None for a tag without an end."""
    given: dict[str, str] = {}
    for _each in range(MOST_ATTRIBUTES):
        found = _ATTRIBUTE.match(page, start)
        if found is None:
            return given if page.find(">", start) >= 0 else None
        value = found["in_two"] or found["in_one"] or found["bare"] or ""
        given.setdefault(found["name"].lower(), unescape(value))
        start = found.end()
    raise Refused(Reason.UNCLEAR)
