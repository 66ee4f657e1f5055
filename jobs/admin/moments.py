"""Instants in the admin: exact in UTC, as logs have them, and as seen from now."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from jobs.spans import seen_from


def exactly(moment: datetime, now: datetime) -> SafeString:
    """Both: the instant to the second, and how far it is from now."""
    return format_html(
        '<time class="nowrap" datetime="{}">{}</time> <span class="quiet">{}</span>',
        moment.isoformat(),
        f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        seen_from(moment, now),
    )


def relatively(moment: datetime, now: datetime) -> SafeString:
    """How far it is from now, with the instant on hover and on focus."""
    exact = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return format_html(
        '<time class="relative" datetime="{}" title="{}" data-exact="{}" tabindex="0">{}</time>',
        moment.isoformat(),
        exact,
        exact,
        seen_from(moment, now),
    )


def listed(moments: Iterable[tuple[Any, datetime | None]], now: datetime) -> SafeString:
    """What happened when, one to a line; what has not happened is left out."""
    known = ((exactly(moment, now), name) for name, moment in moments if moment is not None)
    return format_html_join("", "<div>{} · {}</div>", known)
