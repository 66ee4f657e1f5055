"""A house and the plans of its seats."""

from __future__ import annotations

from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


def validate_time_zone(name: str) -> None:
    """Refuses what is not a name of the IANA time zone database."""
    if name not in available_timezones():
        raise ValidationError(
            _("“%(name)s” is not a time zone. Use a name such as Europe/Berlin."), params={"name": name}
        )


class Venue(models.Model):
    """A house in one place; all its instants are shown in its own time zone."""

    name = models.CharField(_("name"), max_length=200)
    slug = models.SlugField(_("short name in addresses"), max_length=80, unique=True)
    city = models.CharField(_("city"), max_length=100)
    address = models.TextField(_("address"))
    time_zone = models.CharField(
        _("time zone"), max_length=64, validators=[validate_time_zone], help_text=_("Such as Europe/Berlin.")
    )

    class Meta:
        verbose_name = _("venue")
        verbose_name_plural = _("venues")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        """The venue's time zone."""
        return ZoneInfo(self.time_zone)


class SeatingPlan(models.Model):
    """A plan of a venue's seats, kept as the pretix document it came from.

    Shows copy its seats when they are created, so a new plan never moves a seat that was sold.
    """

    venue = models.ForeignKey(
        Venue, on_delete=models.PROTECT, related_name="plans", verbose_name=_("venue"), db_index=False
    )
    name = models.CharField(_("name"), max_length=200)
    width = models.FloatField(_("width"), help_text=_("In the plan's own unit."))
    height = models.FloatField(_("height"), help_text=_("In the plan's own unit."))
    document = models.JSONField(_("document"))
    seat_count = models.PositiveIntegerField(_("seats"))
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow(), editable=False)

    class Meta:
        verbose_name = _("seating plan")
        verbose_name_plural = _("seating plans")
        ordering = ["venue", "name"]
        constraints = [
            # Also the index of the venue's plans.
            models.UniqueConstraint(fields=["venue", "name"], name="plan_name_once_per_venue"),
            models.CheckConstraint(name="plan_has_an_area", condition=Q(width__gt=0, height__gt=0)),
            models.CheckConstraint(name="plan_has_seats", condition=Q(seat_count__gt=0)),
        ]

    def __str__(self) -> str:
        return f"{self.venue}: {self.name}"
