"""A fan's claim on some seats, for a few minutes."""

from __future__ import annotations

from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from inventory.models.show import Show
from jobs.clock import DatabaseNow


class Hold(models.Model):
    """`active → confirmed | expired | released`; all its seats or none.

    An active hold whose `expires_at` has passed is void wherever it is looked at, whether or not a job has
    marked it.
    """

    class Status(models.TextChoices):
        ACTIVE = "active", _("active")
        CONFIRMED = "confirmed", _("confirmed")
        EXPIRED = "expired", _("expired")
        RELEASED = "released", _("released")

    show = models.ForeignKey(Show, on_delete=models.PROTECT, related_name="holds", verbose_name=_("show"))
    # Whoever knows the token may buy or release these seats.
    token = models.UUIDField(_("secret of its page"), default=uuid4, unique=True, editable=False)
    # Seats forget their hold when it ends; the hold remembers them, to count them and to offer them again.
    seat_ids = ArrayField(models.BigIntegerField(), verbose_name=_("seats"))
    # What each of these seats costs whoever buys them by this hold, in the currency's minor unit. It was read from the
    # tiers when the seats were taken, and no later change of a tier reaches it.
    prices = ArrayField(models.BigIntegerField(), verbose_name=_("prices"))
    currency = models.CharField(_("currency"), max_length=3)
    status = models.CharField(_("status"), max_length=20, choices=Status.choices, default=Status.ACTIVE)
    expires_at = models.DateTimeField(_("expires"))
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    # The one time that more minutes were asked for, and given.
    extended_at = models.DateTimeField(_("extended"), null=True, blank=True)
    # When the fan's page was closed, until he comes back; stays when the seats were freed for it.
    left_at = models.DateTimeField(_("left"), null=True, blank=True)
    # When somebody began to buy by it. From then on it lasts until its time is over or it is given back by hand.
    ordered_at = models.DateTimeField(_("order placed"), null=True, blank=True)
    # Stands for a browser at this show and for nothing else. None where nobody asks how many seats it holds.
    holder = models.UUIDField(_("browser"), null=True, blank=True, editable=False)
    # The hold in whose place this one came: chosen instead of it, or the same seats once more.
    follows = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        related_name="followers",
        null=True,
        blank=True,
        db_index=False,
        verbose_name=_("in place of"),
    )

    class Meta:
        verbose_name = _("hold")
        verbose_name_plural = _("holds")
        constraints = [
            models.CheckConstraint(
                name="hold_status_is_known",
                condition=Q(status__in=("active", "confirmed", "expired", "released")),
            ),
            models.CheckConstraint(name="hold_has_seats", condition=Q(seat_ids__len__gt=0)),
            models.CheckConstraint(name="hold_has_a_price_for_each_seat", condition=Q(prices__len=F("seat_ids__len"))),
            models.CheckConstraint(name="hold_lasts", condition=Q(expires_at__gt=F("created_at"))),
            # However many forms a browser sends at once.
            models.UniqueConstraint(
                fields=["show", "holder"],
                name="hold_one_active_per_browser",
                condition=Q(status="active", holder__isnull=False),
            ),
        ]
        indexes = [
            # For the sweeper: small, since it holds active rows only.
            models.Index(fields=["expires_at"], name="hold_active_by_expiry", condition=Q(status="active")),
            models.Index(fields=["follows"], name="hold_by_follows", condition=Q(follows__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.pk} ({self.get_status_display()})"

    def price_of(self, *, seat_id: int) -> int:
        """What the seat costs by this hold, in the currency's minor unit. Raises ValueError for another seat."""
        return self.prices[self.seat_ids.index(seat_id)]
