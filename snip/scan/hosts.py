"""Which host names a target may have, and how they are written for DNS. Pure.

A name that only means something inside of a network is refused by its ending; one that means something else to people
than to machines, by its letters.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv6Address

import idna

from snip.scan.addresses import is_public
from snip.scan.refusals import Reason, Refused
from snip.scan.scripts import looks_like_another
from snip.scan.spelled_numbers import ends_in_a_number, spelled_address

LONGEST_HOST = 253
"""Characters that DNS takes."""

# RFC 6761, 6762, 7686, 8375, 9476 and ICANN's .internal, then what routers, companies and clusters use. None of them is
# a top-level domain that anybody can have a name in.
LOCAL_ENDINGS = frozenset(
    (
        *("localhost", "local", "test", "invalid", "onion", "arpa", "alt", "internal"),
        *("private", "localdomain", "lan", "home", "corp", "mail", "intranet", "intra", "workgroup", "router"),
        *("svc", "cluster", "consul", "kubernetes", "i2p", "bit"),
    )
)

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def read_host(text: str) -> str:
    """``text`` as DNS asks for it: ASCII, small letters, two labels or more.

    Raises Refused for whatever is an address in any spelling, a local name, no name at all, or a name whose letters
    look like others.
    """
    if text.startswith("["):
        raise Refused(_what_brackets_hold(text))
    host = in_ascii(text)
    if ends_in_a_number(host):
        raise Refused(_what_numbers_spell(host))
    labels = host.split(".")
    if len(host) > LONGEST_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise Refused(Reason.HOST)
    if labels[-1] in LOCAL_ENDINGS or len(labels) == 1:
        raise Refused(Reason.LOCAL_NAME)
    for label in labels:
        _read_label(label, top=labels[-1])
    return host


def in_ascii(text: str) -> str:
    """As browsers do it (UTS 46, non-transitional): wide digits and full stops of other scripts become ours first.

    Raises Refused for what is no name.
    """
    if text.isascii():
        return text.lower()
    try:
        return idna.encode(text, uts46=True, std3_rules=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise Refused(_why_not_a_name(text)) from None


def _why_not_a_name(text: str) -> Reason:
    """An address in wide digits is no valid name either, and is told as what it is."""
    try:
        mapped = idna.uts46_remap(text, std3_rules=True)
    except (idna.IDNAError, UnicodeError):
        return Reason.BAD_IDN
    return _what_numbers_spell(mapped) if ends_in_a_number(mapped) else Reason.BAD_IDN


def _what_brackets_hold(text: str) -> Reason:
    try:
        address = IPv6Address(text.removeprefix("[").removesuffix("]"))
    except AddressValueError:
        return Reason.HOST
    return Reason.NUMBER if is_public(address) else Reason.NOT_PUBLIC


def _what_numbers_spell(host: str) -> Reason:
    address = spelled_address(host)
    if address is None:
        return Reason.HOST
    return Reason.NUMBER if is_public(address) else Reason.NOT_PUBLIC


def _read_label(label: str, *, top: str) -> None:
    """Refuse Punycode that no browser would write, and letters that look like others."""
    if label[2:4] != "--":
        return
    if not label.startswith("xn--"):
        raise Refused(Reason.BAD_IDN)
    try:
        shown = idna.decode(label)
        again = idna.encode(shown, uts46=True, std3_rules=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise Refused(Reason.BAD_IDN) from None
    if again != label:
        raise Refused(Reason.BAD_IDN)
    if looks_like_another(shown, top=top):
        raise Refused(Reason.LOOKALIKE)
