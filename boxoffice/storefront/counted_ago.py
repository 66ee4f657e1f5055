"""How old the counts of free seats in the list are, in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inventory.search_shows import Found

SECONDS_TOLD = 100
"""From then on minutes say enough."""


@dataclass(frozen=True)
class Counted:
    """``words`` from now, ``exact`` by the clock."""

    at: datetime
    words: str

    @property
    def exact(self) -> str:
        return f"{self.at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def counted_ago(found: Found) -> Counted | None:
    """How far back the counts on the page reach; None where there are none."""
    if found.counted_at is None:
        return None
    return Counted(at=found.counted_at, words=_in_words(int(found.counted_ago.total_seconds())))


def _in_words(seconds: int) -> str:
    if seconds < 1:
        return _("just now")
    if seconds < SECONDS_TOLD:
        return ngettext("%(count)d second ago", "%(count)d seconds ago", seconds) % {"count": seconds}
    minutes = round(seconds / 60)
    return ngettext("%(count)d minute ago", "%(count)d minutes ago", minutes) % {"count": minutes}
