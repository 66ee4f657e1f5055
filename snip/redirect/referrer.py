"""Which site a visitor came from. Pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|[0-9a-f:.]+")


def referrer_host(referer: str) -> str:
    """Return the host of a Referer header, in small letters and ASCII, without its port; empty if there is none.

    What a browser sends is an address, its host in ASCII; whatever else somebody sends is left out.
    """
    try:
        host = (urlsplit(referer.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""
    return host if _HOST.fullmatch(host) else ""
