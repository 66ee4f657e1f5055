"""Whether a show sells now, and if not, why not and what to do about it."""

from __future__ import annotations

from django.utils.translation import gettext as _

from inventory.conditions import show_sells
from inventory.errors import InventoryError, NotOnSale, UnknownShow
from inventory.models import Show
from inventory.venue_time import in_venue_time
from jobs.clock import database_now


def require_on_sale(*, show_id: int) -> None:
    """Passes when the show sells at this moment.

    Raises UnknownShow, or NotOnSale with the reason; its ``opens_at`` is set when the sale is still to open.
    """
    if not Show.objects.filter(show_sells(), pk=show_id).exists():
        raise why_not_on_sale(show_id=show_id)


def why_not_on_sale(*, show_id: int) -> InventoryError:
    """The error for a show that does not sell, to be raised by the caller."""
    show = Show.objects.select_related("venue").filter(pk=show_id).first()
    if show is None:
        return UnknownShow()
    if show.status == Show.Status.CANCELLED:
        return NotOnSale(_("This show is cancelled. Choose another show."))
    if show.status == Show.Status.POSTPONED:
        return NotOnSale(_("This show is being moved to another date. Look again when the new date is known."))
    if show.status == Show.Status.OVER:
        return NotOnSale(_("This show is over. Choose another show."))
    if show.status == Show.Status.DRAFT:
        return NotOnSale(_("This show is not on sale yet. Look again later."))
    if show.starts_at <= database_now():
        return NotOnSale(_("This show has begun, and its sale has ended. Choose another show."))
    opening = in_venue_time(instant=show.on_sale_at, zone=show.venue.zone)
    return NotOnSale(
        _("Tickets for this show go on sale on %(opening)s. Come back then.") % {"opening": opening},
        opens_at=show.on_sale_at,
    )
