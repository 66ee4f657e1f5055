"""``{{ show.starts_at|venue_time:show.venue }}``: "Fri 12 Dec 2026, 19:30, Berlin time"."""

from __future__ import annotations

from datetime import datetime

from django import template

from inventory.models import Venue
from inventory.venue_time import in_venue_time

register = template.Library()


@register.filter
def venue_time(instant: datetime | None, venue: Venue) -> str:
    """The instant in full, in the venue's own time; nothing stays nothing."""
    return in_venue_time(instant=instant, zone=venue.zone) if instant else ""
