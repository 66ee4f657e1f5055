"""Instants as operators type them: ``2026-11-29T18:00+01:00``, ``2026-11-29 18:00``, or an age such as ``2h``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

AGE = re.compile(r"(\d{1,5})\s*([smhdw])")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True)
class Typed:
    """What somebody typed: an instant, or an age. ``assumed_zone`` names the time zone that was not typed."""

    instant: datetime | None = None
    age: timedelta | None = None
    assumed_zone: str = ""

    def seen_from(self, now: datetime) -> datetime:
        """The instant that is meant, when it is ``now``."""
        if self.age is not None:
            return now - self.age
        assert self.instant is not None
        return self.instant


def read_instant(text: str) -> Typed:
    """Read an instant or an age. Without a zone, that of the settings counts. Raises ValueError for anything else."""
    text = text.strip()
    if age := AGE.fullmatch(text):
        return Typed(age=timedelta(**{UNITS[age[2]]: int(age[1])}))
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{text!r} is neither an instant such as 2026-11-29T18:00+01:00 nor an age such as 2h or 3d."
        ) from None
    if timezone.is_aware(instant):
        return Typed(instant=instant)
    zone = timezone.get_default_timezone()
    return Typed(instant=timezone.make_aware(instant, zone), assumed_zone=str(zone))
