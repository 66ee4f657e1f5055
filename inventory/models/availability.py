"""The read model of the list of shows: what is free of each show, and what was changed since it was counted."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from inventory.models.show import Show
from jobs.clock import DatabaseNow


class Availability(models.Model):
    """What was free of one show at one instant. Written by ``inventory.refresh_availability`` alone.

    For pages that show many shows. Nothing that sells, and no page of one show, looks at it.
    """

    show = models.OneToOneField(
        Show, on_delete=models.CASCADE, primary_key=True, related_name="availability", verbose_name=_("show")
    )
    free = models.PositiveIntegerField(_("free seats"))
    total = models.PositiveIntegerField(_("seats"))
    # Of what was free; none where nothing was.
    price_from = models.BigIntegerField(_("cheapest free seat"), null=True)
    # All changes that were committed before this instant are counted.
    as_of = models.DateTimeField(_("as of"))
    version = models.PositiveIntegerField(_("version"), default=1)

    class Meta:
        verbose_name = _("availability")
        verbose_name_plural = _("availabilities")

    def __str__(self) -> str:
        return f"{self.show_id}: {self.free} / {self.total}"


class SeatChange(models.Model):
    """Seats of a show became free or ceased to be, and it has not been counted since.

    Each change appends a row in its own transaction, and whoever counts deletes the rows that his count has seen. A
    row of its own and not a mark on the show, so that no two fans wait for each other (Note [Marks]).
    """

    # No foreign key: it would lock the show for every fan once more.
    show_id = models.BigIntegerField(_("show"))
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("change of seats")
        verbose_name_plural = _("changes of seats")
        indexes = [models.Index(fields=["show_id"], name="seat_change_by_show")]

    def __str__(self) -> str:
        return f"{self.show_id}, {self.at:%Y-%m-%d %H:%M:%S}"
