"""The click: what is known of one visit to a link, and how it is packed. No address of a visitor is in it.

    byte 0       version, 1
    bytes 1-16   id, a UUID of version 7; the time of the click is in it
    byte 17      class of the user agent
    bytes 18-19  country, two letters, or two zero bytes
    byte 20      length of the code, then the code, in ASCII
    then         length of the referrer, then the referrer, in ASCII

With the two bounds below a click takes 120 bytes at most. Whoever packs many clicks keeps the parts of them that come
again, those of a code and those of a visitor, and has only to join them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple
from uuid import UUID

from snip import uuid7

VERSION = 1
CODE_LENGTH = 32
REFERRER_LENGTH = 66
PACKED_LENGTH = 120

_HEAD = 21  # bytes before the code
_ID = slice(1, 17)
_VERSION = bytes((VERSION,))
_NO_COUNTRY = b"\0\0"


class MalformedClick(ValueError):
    """These bytes are not a click. They go to the dead letters, and the rest of their batch goes on."""


class AgentClass(IntEnum):
    """What kind of program followed a link. The numbers are in the log and in the archive: never use one again."""

    OTHER = 0
    DESKTOP = 1
    MOBILE = 2
    TABLET = 3
    BOT = 4
    PREVIEW = 5

    @property
    def is_bot(self) -> bool:
        """Whether no person stands behind it: a crawler, or what draws a preview of a link in a chat."""
        return self >= AgentClass.BOT


_AGENTS = {int(agent): agent for agent in AgentClass}


@dataclass(frozen=True, slots=True)
class Click:
    """One visit to the link behind ``code``.

    ``country`` is two capital letters, or empty when it is not known. ``referrer`` is the host that the visitor
    came from, in ASCII, its end when it is long, or empty.
    """

    id: UUID
    code: str
    country: str = ""
    agent: AgentClass = AgentClass.OTHER
    referrer: str = ""

    @property
    def is_bot(self) -> bool:
        return self.agent.is_bot

    @property
    def at(self) -> datetime:
        """When it happened, in UTC, by the clock of the machine that saw it."""
        return uuid7.instant_of(self.id)


def instant_of(identifier: UUID) -> datetime:
    """Return when the click with this id happened, in UTC. Raises ValueError unless it is a UUID of version 7."""
    return uuid7.instant_of(identifier)


class PackedVisitor(NamedTuple):
    """What a click holds of its visitor, in bytes: what comes before the code, and what comes after it."""

    before_code: bytes
    after_code: bytes


def pack(click: Click) -> bytes:
    """Return the click in bytes, 120 at most. Raises MalformedClick for what cannot be packed."""
    visitor = pack_visitor(agent=click.agent, country=click.country, referrer=click.referrer)
    return join(click.id.bytes, pack_code(click.code), visitor)


def pack_code(code: str) -> bytes:
    """Return the part of a click that tells the code.

    Raises MalformedClick for a code that is empty, longer than 32 or not ASCII.
    """
    packed = _ascii(code)
    if not 0 < len(packed) <= CODE_LENGTH:
        raise MalformedClick("A click has a code of 1 to 32 characters.")
    return _with_length(packed)


def pack_visitor(*, agent: AgentClass, country: str, referrer: str) -> PackedVisitor:
    """Return the parts of a click that tell of the visitor.

    A long referrer keeps its end, where the registered name is. Raises MalformedClick for a country of other than two
    letters or none, and for what is not ASCII.
    """
    packed_country = _ascii(country) or _NO_COUNTRY
    if len(packed_country) != 2:
        raise MalformedClick("A click has a country of two letters or none.")
    return PackedVisitor(bytes((agent,)) + packed_country, _with_length(_ascii(referrer[-REFERRER_LENGTH:])))


def join(identifier: bytes, code: bytes, visitor: PackedVisitor) -> bytes:
    """Return the packed click of an id of 16 bytes and of parts that were packed before."""
    before_code, after_code = visitor
    return b"".join((_VERSION, identifier, before_code, code, after_code))


def id_in(packed: bytes) -> bytes:
    """Return the 16 bytes of the id in a packed click; fewer where it is none."""
    return packed[_ID]


def unpack(packed: bytes) -> Click:
    """Return the click that ``pack`` made these bytes of. Raises MalformedClick for any others."""
    if len(packed) < _HEAD + 2 or packed[0] != VERSION:
        raise MalformedClick("Too short, or of a version that is not known here.")
    end_of_code = _HEAD + packed[20]
    agent = _AGENTS.get(packed[17])
    identifier = UUID(bytes=id_in(packed))
    if agent is None or identifier.version != 7:
        raise MalformedClick("A class of user agents that is not known here, or an id that tells no time.")
    if not _HEAD < end_of_code < len(packed) or packed[20] > CODE_LENGTH:
        raise MalformedClick("The length of the code does not fit.")
    if packed[end_of_code] > REFERRER_LENGTH or end_of_code + 1 + packed[end_of_code] != len(packed):
        raise MalformedClick("The length of the referrer does not fit.")
    try:
        code, referrer = packed[_HEAD:end_of_code].decode("ascii"), packed[end_of_code + 1 :].decode("ascii")
    except UnicodeDecodeError as error:
        raise MalformedClick("A click's code and referrer are ASCII.") from error
    if not (code.isprintable() and referrer.isprintable()):  # PostgreSQL takes no zero byte, and would take no batch
        raise MalformedClick("A click's code and referrer have no control characters.")
    return Click(id=identifier, code=code, country=_country(packed[18:20]), agent=agent, referrer=referrer)


def _country(packed: bytes) -> str:
    if packed == _NO_COUNTRY:
        return ""
    if not (packed.isalpha() and packed.isupper()):
        raise MalformedClick("A country is two capital letters.")
    return packed.decode("ascii")


def _ascii(text: str) -> bytes:
    try:
        return text.encode("ascii")
    except UnicodeEncodeError as error:
        raise MalformedClick("A click's code, country and referrer are ASCII.") from error


def _with_length(packed: bytes) -> bytes:
    return bytes((len(packed),)) + packed
