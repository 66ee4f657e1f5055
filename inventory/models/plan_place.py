"""The seats of a plan by the names that people say."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from inventory.models.venue import SeatingPlan


class PlanPlace(models.Model):
    """Which seat of a plan is called "c 12". Written by the database alone, with the first show of the plan.

    All shows of a plan have its seats, so this finds the same seat in each of them by seat_guid_once_per_show, and the
    seats themselves, which every fan writes to, need no index by their names.
    """

    plan = models.ForeignKey(
        SeatingPlan, on_delete=models.CASCADE, related_name="places", verbose_name=_("seating plan"), db_index=False
    )
    guid = models.CharField(_("identifier in the plan"), max_length=200)
    # Row and number in small letters, with a space between.
    place = models.CharField(_("place"), max_length=101)
    zone = models.CharField(_("zone"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("place of a plan")
        verbose_name_plural = _("places of plans")
        constraints = [models.UniqueConstraint(fields=["plan", "guid"], name="plan_place_once")]
        indexes = [models.Index(fields=["place"], name="plan_place_by_name")]

    def __str__(self) -> str:
        return f"{self.zone} {self.place}".strip()
