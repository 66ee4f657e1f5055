"""Changing what a link leads to, its name, owner, show and expiry."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import transaction
from django.utils.translation import gettext, gettext_noop

from inventory.venue_time import in_utc
from jobs.audit import require_reason
from jobs.clock import database_now
from jobs.events import publish
from snip.events import LinkChanged
from snip.links import transitions
from snip.links.clean_target import clean_target
from snip.links.errors import ExpiresInThePast, LinkChangedMeanwhile
from snip.links.trail import write_link_action
from snip.models import Link, LinkAction

_WORDS = {
    "target": gettext_noop("target"),
    "label": gettext_noop("name"),
    "owner_id": gettext_noop("owner"),
    "show_id": gettext_noop("show"),
    "expires_at": gettext_noop("expires"),
}
_NOTHING = gettext_noop("to be checked again")
_IS_WORD = re.compile(rf"(?:^|(?<=; ))({'|'.join(_WORDS.values())})(?=: )")
_EXPIRES = re.compile(r"(?:^|; )expires: [^;]*$")
_KEPT = "%Y-%m-%d %H:%M UTC"
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the link is to be, whole: what stays is said again."""

    target: str
    label: str
    owner_id: int | None
    show_id: int | None
    expires_at: datetime | None


def edit_link(*, link_id: int, seen: int, wanted: Wanted, by: str) -> int:
    """Change the link that was seen with this version; returns its new version. One transaction.

    A new target is checked before it is served, and so is the old one if it was refused; until then, and if it is
    refused, what was served before goes on being served. Anything else holds at once.

    by: the login, for the trail, which says what was changed from what to what.
    Raises ReasonMissing without ``by``, InvalidTarget, ExpiresInThePast for an instant that was not the link's
    already, and LinkChangedMeanwhile where it has another version, is blocked or deleted. Each changes nothing.
    """
    require_reason(by=by, reason="changed")
    target, label = clean_target(wanted.target), wanted.label.strip()
    with transaction.atomic():
        before = Link.objects.filter(pk=link_id).first()
        if before is None:
            raise LinkChangedMeanwhile
        after = Wanted(
            target=target,
            label=label,
            owner_id=wanted.owner_id,
            show_id=wanted.show_id,
            expires_at=wanted.expires_at,
        )
        if after.expires_at not in (None, before.expires_at) and after.expires_at <= database_now():
            raise ExpiresInThePast
        version = transitions.edit(link_id=link_id, seen=seen, **vars(after))
        if version is None:
            raise LinkChangedMeanwhile
        write_link_action(link_id=link_id, action=LinkAction.Action.EDIT, by=by, what=_changes(before, after))
        publish(LinkChanged(link_id=link_id, version=version))
    return version


def changes_in_words(kept: str) -> str:
    """What the trail keeps of an edit, in the active language; what it does not know, as it is. Pure."""
    if kept == _NOTHING:
        return gettext(_NOTHING)
    dated = _EXPIRES.sub(lambda expires: _INSTANT.sub(_instant_in_words, expires[0]), kept)
    return _IS_WORD.sub(lambda word: gettext(word[0]), dated)


def _instant_in_words(kept: re.Match[str]) -> str:
    try:
        return in_utc(instant=datetime.strptime(kept[0], _KEPT).replace(tzinfo=UTC))
    except ValueError:
        return kept[0]


def _changes(before: Link, after: Wanted) -> str:
    """In words. ``before`` was read first, and the version that the UPDATE asks for is its own."""
    told = [
        f"{word}: {_said(getattr(before, name))} → {_said(getattr(after, name))}"
        for name, word in _WORDS.items()
        if getattr(before, name) != getattr(after, name)
    ]
    return "; ".join(told) or _NOTHING


def _said(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime(_KEPT)
    return str(value or "–")
