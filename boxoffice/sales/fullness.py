"""How full a show, or a tier of it, is: what was sold of what can be sold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import dateformat
from django.utils.translation import pgettext

from boxoffice.sales.read_house import InFlight, Seats
from inventory.models import Show


@dataclass(frozen=True)
class Fullness:
    """Seats by what they are now. sold_share, held_share: of the sellable ones, as "12.5%", for the bar."""

    show: Show
    name: str
    sold: int
    held: int
    sellable: int
    blocked: int
    percent: int
    sold_share: str
    held_share: str

    @property
    def starts(self) -> str:
        """When the show begins, at its venue, briefly."""
        pattern = pgettext("brief date and time, in Django's date format", "j M Y, H:i")
        return dateformat.format(self.show.starts_at_local, pattern)

    @property
    def free(self) -> int:
        """Neither sold nor held. What was counted a moment ago may be held by now."""
        return max(self.sellable - self.sold - self.held, 0)


def how_full(show: Show, *, tiers: Iterable[Seats], held: InFlight | None = None, name: str = "") -> Fullness:
    """All of these tiers together. Seats put aside are not sellable, and told apart. Pure.

    A house that is sold out but for one seat is 99 % full, and one of which one was sold is not empty: nothing is
    rounded to the ends.
    """
    seats = list(tiers)
    sold, blocked = sum(tier.sold for tier in seats), sum(tier.blocked for tier in seats)
    sellable = sum(tier.sellable for tier in seats)
    in_flight = min(held.seats if held else 0, max(sellable - sold, 0))
    share = 100 * sold / sellable if sellable else 0.0
    return Fullness(
        show=show,
        name=name or show.title,
        sold=sold,
        held=in_flight,
        sellable=sellable,
        blocked=blocked,
        percent=min(max(round(share), 1 if sold else 0), 100 if sold >= sellable else 99),
        sold_share=f"{share:.1f}%",
        held_share=f"{100 * in_flight / sellable if sellable else 0:.1f}%",
    )
