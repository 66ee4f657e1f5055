"""Small matters of presentation for the door's templates."""

from __future__ import annotations

from django import template
from django.utils import dateformat

from inventory.models import Show
from tickets.models import Scan

register = template.Library()


@register.filter
def scanned_at(scan: Scan, show: Show) -> str:
    """``{{ scan|scanned_at:show }}``: the time on the wall at the venue."""
    return dateformat.format(scan.at.astimezone(show.venue.zone), "H:i:s")
