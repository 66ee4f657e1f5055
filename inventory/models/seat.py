"""One seat of one show."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from inventory.models.hold import Hold
from inventory.models.show import PriceTier, Show


class Seat(models.Model):
    """`available ⇄ held → sold → available (refund)`, `blocked`. Unnumbered places are rows too.

    Changed through `inventory.transitions` only; `version` grows with each change. Nearly every change moves
    `hold`, which is indexed, so each further index would be written by each change as well: there is none for
    the tier, whose seats are found through their show.
    """

    class Status(models.TextChoices):
        AVAILABLE = "available", _("available")
        HELD = "held", _("held")
        SOLD = "sold", _("sold")
        BLOCKED = "blocked", _("blocked")

    show = models.ForeignKey(
        Show, on_delete=models.CASCADE, related_name="seats", verbose_name=_("show"), db_index=False
    )
    tier = models.ForeignKey(
        PriceTier,
        on_delete=models.RESTRICT,  # goes with its show, and not without it
        related_name="seats",
        verbose_name=_("price tier"),
        db_index=False,
    )
    guid = models.CharField(_("identifier in the plan"), max_length=200)
    zone = models.CharField(_("zone"), max_length=200, blank=True)
    row = models.CharField(_("row"), max_length=50, blank=True)
    number = models.CharField(_("number"), max_length=50, blank=True)
    x = models.FloatField(_("x"))
    y = models.FloatField(_("y"))
    position = models.PositiveIntegerField(_("order in the plan"))
    status = models.CharField(_("status"), max_length=20, choices=Status.choices, default=Status.AVAILABLE)
    # Kept when the seat is sold, so that a sold seat tells which hold bought it.
    hold = models.ForeignKey(
        Hold,
        on_delete=models.PROTECT,
        related_name="seats",
        verbose_name=_("hold"),
        null=True,
        blank=True,
        db_index=False,
    )
    version = models.PositiveIntegerField(_("version"), default=1)

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        constraints = [
            # Also the index of the show's seats.
            models.UniqueConstraint(fields=["show", "guid"], name="seat_guid_once_per_show"),
            models.CheckConstraint(
                name="seat_status_is_known",
                condition=Q(status__in=("available", "held", "sold", "blocked")),
            ),
            models.CheckConstraint(
                name="seat_has_a_hold_when_held",
                condition=Q(status="held", hold__isnull=False)
                | Q(status="sold")
                | Q(status__in=("available", "blocked"), hold__isnull=True),
            ),
        ]
        indexes = [
            models.Index(fields=["hold"], name="seat_by_hold", condition=Q(hold__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return place_in_words(zone=self.zone, row=self.row, number=self.number)


def place_in_words(*, zone: str, row: str, number: str) -> str:
    """A place in words of the active language, "Stalls, row C, seat 12"; empty parts are left out."""
    parts = [zone] if zone else []
    if row:
        parts.append(gettext("row %(row)s") % {"row": row})
    if number:
        parts.append(gettext("seat %(number)s") % {"number": number})
    return ", ".join(parts)
