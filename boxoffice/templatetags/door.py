"""Small matters of presentation for the door's templates."""

from __future__ import annotations

from django import template
from django.utils import dateformat

from boxoffice.door.spoken import mark_of
from inventory.models import Show
from tickets.models import Scan

register = template.Library()


@register.filter
def tone(scan: Scan) -> str:
    """``{{ scan|tone }}``: ``good``, ``bad`` or ``caution``, as the answer had it."""
    return mark_of(scan.result)[0]


@register.filter
def mark(scan: Scan) -> str:
    """``{{ scan|mark }}``: the sign that the answer bore."""
    return mark_of(scan.result)[1]


@register.filter
def scanned_at(scan: Scan, show: Show) -> str:
    """``{{ scan|scanned_at:show }}``: the time on the wall at the venue."""
    return dateformat.format(scan.at.astimezone(show.venue.zone), "H:i:s")
