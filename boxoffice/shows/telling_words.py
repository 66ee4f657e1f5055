"""What the pages that ask before a show is moved, postponed or goes on say of whom a mail will reach."""

from __future__ import annotations

from datetime import datetime

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.shows.holders import Holders
from inventory.models import Show
from inventory.venue_time import in_venue_time
from jobs.destinations import destination_named
from jobs.spans import span_in_words


def who_is_told(holders: Holders) -> list[str]:
    """How many get a mail with an entry for the calendar and how long that takes, and how many get none, and why."""
    told, silent = holders.reached, holders.without
    if not holders.all:
        return [_("Nobody has tickets, so nobody is written to.")]
    words = [
        ngettext(
            "%(n)d order is told by mail, with an entry that changes the show in the calendar%(span)s.",
            "%(n)d orders are told by mail, with an entry that changes the show in the calendar%(span)s.",
            told,
        )
        % {"n": told, "span": how_long(told)}
    ]
    if silent:
        without = ngettext(
            "%(n)d order has no address: nobody can be written to about it.",
            "%(n)d orders have no address: nobody can be written to about them.",
            silent,
        )
        words.append(without % {"n": silent})
    if holders.suppressed:
        words.append(suppressed_in_words(holders.suppressed))
    return words


def suppressed_in_words(orders: int) -> str:
    """Of orders to whose address no bulk mail goes: it returned an earlier mail for good, or complained of one."""
    words = ngettext(
        "%(n)s order gets no mail, since an earlier one to its address came back or was complained of.",
        "%(n)s orders get no mail, since an earlier one to their address came back or was complained of.",
        orders,
    )
    return words % {"n": number_format(orders, use_l10n=True, force_grouping=True)}


def how_long(mails: int) -> str:
    """As the end of a sentence: what so many take at the mail provider's rate. Empty where it has none."""
    mail = destination_named("mail")
    if mail is None or not mail.rate_per_second or not mails:
        return ""
    span = span_in_words(max(1, round(mails / mail.rate_per_second)))
    return _("; at the mail provider’s rate that takes about %(span)s") % {"span": span}


def money_back_in_words(show: Show, until: datetime | None) -> str:
    """What is offered to those who have tickets."""
    if until is None:
        return _("No money moves. Who wants his back is refunded from the order’s page.")
    words = _(
        "Until %(until)s whoever has ordered by now can have the money back on the order’s page, without asking us; "
        "the mail says so."
    )
    return words % {"until": in_venue_time(instant=until, zone=show.venue.zone)}
