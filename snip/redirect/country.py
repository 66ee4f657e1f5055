"""Which country a visitor is in: by a trusted proxy's header, or by a file of addresses. The address is not kept."""

from __future__ import annotations

from pathlib import Path

import maxminddb

_NO_COUNTRY = frozenset(("XX", "ZZ", "T1", "A1", "A2", "O1"))  # what proxies and files say for "not known"


def country_told(header: str) -> str:
    """Return the country in a proxy's header, two capital letters; empty for anything else. Pure."""
    country = header.strip().upper()
    known = len(country) == 2 and country.isascii() and country.isalpha() and country not in _NO_COUNTRY
    return country if known else ""


def address_told(header: str) -> str:
    """Return the address that the nearest proxy added to X-Forwarded-For, the last one; without a port. Pure."""
    last = header.rpartition(",")[2].strip()
    if last.startswith("["):
        return last[1:].partition("]")[0]
    return last.partition(":")[0] if last.count(":") == 1 else last


class CountryFile:
    """A database of addresses in MaxMind's format, mapped into memory."""

    def __init__(self, file: Path) -> None:
        self._reader = maxminddb.open_database(file)

    def country_of(self, address: str) -> str:
        """Return the country of an IP address; empty where the file does not know it, is broken, or it is none."""
        try:
            found = self._reader.get(address)
        except (ValueError, maxminddb.InvalidDatabaseError):
            return ""
        place = found.get("country") or found.get("registered_country") if isinstance(found, dict) else None
        code = place.get("iso_code") if isinstance(place, dict) else place
        return country_told(code) if isinstance(code, str) else ""

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()
