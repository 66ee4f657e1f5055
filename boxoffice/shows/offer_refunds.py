"""Letting fans have their money back by themselves until an instant, since their show was postponed or moved.

A promise is never shortened: what was said last counts only where it is later.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection, transaction
from django.utils.translation import gettext as _

from boxoffice.models import ShowAction
from boxoffice.shows.errors import OfferRefused
from boxoffice.shows.trail import write_show_action
from inventory.errors import UnknownShow
from inventory.models import Show
from inventory.statements import count_of
from jobs.audit import require_reason
from jobs.clock import database_now

# Of a show that is changed in this transaction. By the primary key.
OFFER = """
    INSERT INTO boxoffice_refundoffer AS offer (show_id, until, placed_until)
    VALUES (%(show_id)s, %(until)s, jobs_now())
    ON CONFLICT (show_id) DO UPDATE
       SET until = greatest(offer.until, excluded.until), placed_until = excluded.placed_until
"""

# Where nothing was offered with the change: for those who bought before it. By the index of the trail by show.
OFFER_LATE = """
    INSERT INTO boxoffice_refundoffer AS offer (show_id, until, placed_until)
    SELECT %(show_id)s, %(until)s, max(at) FROM boxoffice_showaction
     WHERE show_id = %(show_id)s AND action IN ('move', 'postpone')
    HAVING max(at) IS NOT NULL
    ON CONFLICT (show_id) DO UPDATE SET until = excluded.until WHERE offer.until < excluded.until
"""

LONGEST = timedelta(days=365)
"""Money is offered back for at most so long from now: beyond that, cards have expired and a typed year is a slip."""

OFFERED_FOR = (Show.Status.SCHEDULED, Show.Status.POSTPONED)


def offer_refunds(*, show_id: int, until: datetime) -> None:
    """Let whoever has ordered by now have his money back until then. Belongs into the transaction that changes the
    show, which checks ``until`` before.
    """
    with connection.cursor() as cursor:
        cursor.execute(OFFER, {"show_id": show_id, "until": until})


def extend_offer(*, show_id: int, until: datetime, by: str, reason: str) -> ShowAction:
    """Let fans have their money back until later than was said, or at all; returns the entry in the show's trail. One
    transaction. No mail tells of it: the orders' pages do.

    Raises ReasonMissing, UnknownShow, and OfferRefused (the sentence says what is wrong with ``until``, or that the
    show was never moved or postponed).
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        show = Show.objects.select_for_update(no_key=True).filter(pk=show_id).first()
        if show is None:
            raise UnknownShow
        if show.status not in OFFERED_FOR:
            raise OfferRefused
        starts_at = show.starts_at if show.status == Show.Status.SCHEDULED else None
        check_until(until=until, starts_at=starts_at)
        if not count_of(OFFER_LATE, show_id=show_id, until=until):
            raise OfferRefused
        details = {"version": show.version, "refund_until": until.isoformat()}
        return write_show_action(show_id=show_id, action=ShowAction.Action.OFFER, by=by, reason=reason, details=details)


def check_until(*, until: datetime, starts_at: datetime | None) -> None:
    """Whether money could be offered back until then. starts_at: of the show, None where nobody knows. One query.

    Raises OfferRefused.
    """
    if until.tzinfo is None:
        raise ValueError("Give the instant with its time zone.")
    now = database_now()
    if until <= now:
        raise OfferRefused(_("That has passed already. Type a time that is to come."))
    if starts_at is not None and until > starts_at:
        raise OfferRefused(_("The show has begun by then. Type a time before its start."))
    if until > now + LONGEST:
        raise OfferRefused(_("That is more than a year from now. Type an earlier time."))
