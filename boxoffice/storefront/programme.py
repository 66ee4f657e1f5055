"""The list of shows as its page reads: by month in the venue's time, one line a show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from django.utils.translation import gettext as _

from boxoffice.storefront.fullness import Fullness
from inventory.models import Show
from inventory.money import Money
from inventory.venue_time import place_of


@dataclass(frozen=True)
class Event:
    """One line of the list. ``price_from`` is None where nothing has a price yet."""

    show: Show
    starts_at: datetime
    price_from: Money | None
    one_price: bool
    fullness: Fullness

    @property
    def day(self) -> date:
        """The date in the venue's time. A date, since templates would show an instant in the site's own zone."""
        return self.starts_at.date()

    @property
    def can_be_bought(self) -> bool:
        return self.fullness.kind in {"free", "few"}

    @property
    def clock(self) -> str:
        """ "19:30, Berlin time": the date stands beside it already."""
        return _("%(moment)s, %(place)s time") % {
            "moment": self.starts_at.strftime("%H:%M"),
            "place": place_of(self.show.venue.zone),
        }


@dataclass(frozen=True)
class Month:
    """A month and its shows, in the order of their start."""

    first: date
    events: list[Event]
