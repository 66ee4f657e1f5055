"""Identifiers that tell when they were made (UUID version 7, RFC 9562): milliseconds, then 74 random bits."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_VERSION_AND_VARIANT = 0x7 << 76 | 0b10 << 62
_THE_REST = ~(0xF << 76 | 0b11 << 62)


def uuid7() -> UUID:
    """Return a new identifier with this machine's time in it. Two of one millisecond have no order."""
    return _made(time.time_ns() // 1_000_000 << 80 | int.from_bytes(os.urandom(10)))


def first_uuid7(instant: datetime) -> UUID:
    """Return the smallest identifier of ``instant``'s millisecond: what bounds a range of them by time."""
    return _made((instant - EPOCH) // timedelta(milliseconds=1) << 80)


def instant_of(identifier: UUID) -> datetime:
    """Return when ``identifier`` was made, in UTC, to the millisecond. Raises ValueError unless it is of version 7."""
    if identifier.version != 7:
        raise ValueError("This identifier is not of version 7, and tells no time.")
    return EPOCH + timedelta(milliseconds=identifier.int >> 80)


def _made(bits: int) -> UUID:
    return UUID(int=bits & _THE_REST | _VERSION_AND_VARIANT)
