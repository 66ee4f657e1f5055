"""Instants and counts as the ledger's pages show them."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils.dates import WEEKDAYS_ABBR
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from jobs import redact, spans
from jobs.admin import moments
from jobs.flow.load import Load
from jobs.models import Pause, StaffAction

register = template.Library()


@register.filter
def utc(moment: datetime) -> str:
    """To the second, in UTC, as logs have it."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


@register.filter
def on_the_clock(moment: datetime) -> str:
    """To the second, with the day of the week, by the clock of the zone that the instant is given in."""
    return f"{WEEKDAYS_ABBR[moment.weekday()]} {moment:%Y-%m-%d %H:%M:%S}"


@register.filter
def as_button(question: str) -> str:
    """What a question's button says: the question's own words, so that it names what it is done to."""
    return str(question).rstrip("?\u00a0 ")


@register.filter
def seen_from(moment: datetime, now: datetime) -> str:
    """``5 min ago``."""
    return spans.seen_from(moment, now)


@register.filter
def relatively(moment: datetime, now: datetime) -> SafeString:
    """``5 min ago``, with the instant on hover and on focus."""
    return moments.relatively(moment, now)


@register.filter
def target_in_words(action: StaffAction) -> str:
    """What was paused, resumed or let run, in the reader's language."""
    kind, _space, name = action.target.partition(" ")
    if kind == "schedule":
        return _("schedule %(name)s") % {"name": name}
    return f"{Pause.Kind(kind).label} {name}" if kind in Pause.Kind.values else action.target


@register.filter
def counted(load: Load, kind: str) -> str:
    """How many jobs of this kind, ``–`` for none."""
    return load.shown(kind) if getattr(load, kind) else "–"


@register.filter
def for_eyes(text: str) -> str:
    """The text without what gives itself away as an address, a number or a secret."""
    return redact.for_eyes(text)
