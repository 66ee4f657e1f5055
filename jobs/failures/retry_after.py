"""How long an answer asks to wait, by its header Retry-After.

What is no finite number of seconds from now on is not believed, and the policy's own waits are taken instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

# RFC 9110 knows whole seconds only; some providers send fractions.
_SECONDS = re.compile(r"\s*(\d{1,12}(?:\.\d{1,9})?)\s*", re.ASCII)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an answer's Retry-After asks for. Names of headers in small letters.

    A date counts from the date of the same answer: both are by the server's clock, so that no difference to ours
    makes the wait longer or shorter.
    """
    asked = headers.get("retry-after", "")
    seconds = _SECONDS.fullmatch(asked)
    if seconds:
        return believable(float(seconds.group(1)))
    until, now = _date(asked), _date(headers.get("date", ""))
    return believable((until - now).total_seconds()) if until and now else None


def believable(delay: Any) -> float | None:
    """The delay as seconds, if it is a finite number that is not negative."""
    if not isinstance(delay, (int, float)) or isinstance(delay, bool):
        return None
    try:
        return float(delay) if math.isfinite(delay) and delay >= 0 else None
    except OverflowError:
        return None


def _date(text: str) -> datetime | None:
    try:
        instant = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    return instant if instant.tzinfo else None
