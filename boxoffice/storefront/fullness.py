"""How full a show is, in a few words and a mark."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inventory.models import Show
from inventory.selectors import Offer
from inventory.venue_time import in_venue_time

# "Few" are as many as a fan can count: a twentieth of the house, but at least one hold's worth of seats.
FEW_SHARE = 20
FEW_AT_LEAST = 10


@dataclass(frozen=True)
class Fullness:
    """``kind`` names the mark: ``free``, ``few``, ``out``, ``later`` or ``over``. ``words`` say the same."""

    kind: str
    words: str


def fullness_of(offer: Offer) -> Fullness:
    """What a fan wants to know first: are there seats, and if not, why not."""
    if not offer.sells:
        return _not_on_sale(offer)
    if offer.is_sold_out:
        return Fullness("out", _("sold out"))
    free = offer.seats_free
    if free <= max(FEW_AT_LEAST, offer.seats_total // FEW_SHARE) and free < offer.seats_total:
        return Fullness("few", ngettext("only %(free)d left", "only %(free)d left", free) % {"free": free})
    return Fullness("free", _("seats available"))


def _not_on_sale(offer: Offer) -> Fullness:
    if offer.opens_later:
        opening = in_venue_time(instant=offer.show.on_sale_at, zone=offer.show.venue.zone)
        return Fullness("later", _("on sale from %(opening)s") % {"opening": opening})
    words = {
        Show.Status.CANCELLED: _("cancelled"),
        Show.Status.POSTPONED: _("postponed"),
        Show.Status.OVER: _("over"),
    }
    return Fullness("over", words.get(Show.Status(offer.show.status), _("the sale has ended")))
