"""What the process needs to know when it starts, and the bounds that it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from snip.log.bounds import Bounds


@dataclass(frozen=True)
class Setup:
    """Where the servers are, whom to believe, and how much to hold in memory.

    ``base_path`` is what stands before the code in an address, with slashes at both ends. ``producer_token`` is what a
    producer of clicks bears, empty for none. ``country_header`` is the name of the header by which a trusted proxy
    tells the country, in small letters, empty for none; ``geoip_file`` a database in MaxMind's format, asked where no
    header tells.
    """

    database_url: str
    redis_url: str
    public_url: str
    bounds: Bounds
    base_path: str = "/"
    behind_proxy: bool = False
    producer_token: str = ""
    country_header: str = ""
    geoip_file: Path | None = None
    locale: Path | None = None
    known_codes: int = 50_000  # about 1 kB each
    unknown_codes: int = 20_000  # about 0.3 kB each: who guesses codes pushes out guessed ones only
    buffered_clicks: int = 50_000  # about 0.1 kB each, and half a minute at 1,500 clicks a second
