"""Making links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from jobs.audit import require_reason
from jobs.clock import database_now
from jobs.events import publish_many
from snip.events import LinkChanged
from snip.links import transitions
from snip.links.clean_target import clean_target
from snip.links.codes import clean_alias, draw_code
from snip.links.errors import AliasTaken, ExpiresInThePast, LinkError, LinksMadeAlready
from snip.models import Link, LinkAction

DRAWS = 5
"""Of new codes, until all are free. With a million links one draw in 13,000 meets an old one; the second is free."""

MOST = 1_000
"""Links that one call makes: their events lock as many ordering keys as the ledger takes in one transaction."""


@dataclass(frozen=True, kw_only=True)
class NewLink:
    """What somebody wants. target: an address, or what was typed for one. alias: a chosen word, empty for none."""

    target: str
    label: str = ""
    alias: str = ""
    show_id: int | None = None
    expires_at: datetime | None = None


def create_link(*, new: NewLink, owner_id: int | None, by: str, number: UUID | None = None) -> Link:
    """Make one link; see ``create_links``."""
    return create_links(new=[new], owner_id=owner_id, by=by, number=number)[0]


def create_links(*, new: Sequence[NewLink], owner_id: int | None, by: str, number: UUID | None = None) -> list[Link]:
    """Make them all, each with a drawn code and its alias, or none; returns them in the order given. One transaction.

    They are ``scanning``, and nothing is served until the scanner has passed them: it hears of them by the events that
    are published here. A dozen statements for any number of them.

    owner_id: whose links they are. by: the login that makes them, for the trail. number: drawn by the page that asks;
    of two who send the same, also within the same moment, one makes links.
    Raises ReasonMissing without ``by``, InvalidTarget, InvalidAlias, ExpiresInThePast, LinksMadeAlready for a number
    that has made some, and AliasTaken where a word is or was any link's, also of another one of these. Each changes
    nothing.
    """
    require_reason(by=by, reason="made")
    if len(new) > MOST:
        raise ValueError(f"At most {MOST} links in one call.")
    now = database_now()
    links = [_row(each, owner_id=owner_id, now=now, number=number, place=place) for place, each in enumerate(new)]
    aliases = [clean_alias(each.alias) if each.alias.strip() else "" for each in new]
    with transaction.atomic():
        _insert(links, number=number)
        drawn = _draw_codes([link.pk for link in links])
        _add_aliases({alias: link.pk for alias, link in zip(aliases, links, strict=True) if alias}, aliases)
        LinkAction.objects.bulk_create(_entries(links, drawn, aliases, by=by))
        publish_many(LinkChanged(link_id=link.pk, version=1) for link in links)
    return links


def _insert(links: Sequence[Link], *, number: UUID | None) -> None:
    """Whoever comes second with a number waits here for the first one, by link_once_by_form."""
    try:
        with transaction.atomic():
            Link.objects.bulk_create(links)
    except IntegrityError:
        if number is not None and Link.objects.filter(form_number=number).exists():
            raise LinksMadeAlready from None
        raise


def _row(new: NewLink, *, owner_id: int | None, now: datetime, number: UUID | None, place: int) -> Link:
    if new.expires_at is not None and new.expires_at <= now:
        raise ExpiresInThePast
    return Link(
        target=clean_target(new.target),
        served_target="",
        state=Link.State.SCANNING,
        refusal="",
        version=1,
        label=new.label.strip(),
        owner_id=owner_id,
        show_id=new.show_id,
        expires_at=new.expires_at,
        created_at=now,
        form_number=number,
        form_place=place,
    )


def _draw_codes(link_ids: Sequence[int]) -> dict[int, str]:
    """A code for each link. Whose code is taken, perhaps by another one of these, draws again."""
    given: dict[int, str] = {}
    for _draw in range(DRAWS):
        without = [link_id for link_id in link_ids if link_id not in given]
        if not without:
            return given
        codes = {draw_code(): link_id for link_id in without}
        added = transitions.add_codes(codes=list(codes), link_ids=list(codes.values()), is_alias=False)
        given.update({link_id: code for code, link_id in added.items()})
    if len(given) < len(link_ids):
        raise LinkError
    return given


def _add_aliases(wanted: dict[str, int], typed: Sequence[str]) -> None:
    if len(wanted) < len([alias for alias in typed if alias]):
        raise AliasTaken
    if wanted:
        added = transitions.add_codes(codes=list(wanted), link_ids=list(wanted.values()), is_alias=True)
        if len(added) < len(wanted):
            raise AliasTaken


def _entries(links: Sequence[Link], drawn: dict[int, str], aliases: Sequence[str], *, by: str) -> Iterator[LinkAction]:
    for link, alias in zip(links, aliases, strict=True):
        names = drawn[link.pk] + (f", {alias}" if alias else "")
        yield LinkAction(
            link_id=link.pk, action=LinkAction.Action.CREATE, by=by.strip(), what=f"{names} → {link.target}"
        )
