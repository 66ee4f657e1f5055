"""The read model of the sales dashboard: what was taken and sold, counted from the orders by a job for each show.

Nothing that sells, pays or refunds looks at it. Written by ``boxoffice/sales/count_sales.py`` alone.
"""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.models.order import Order
from boxoffice.models.payment import Payment
from inventory.models import PriceTier, Show
from jobs.clock import DatabaseNow


class Takings(models.Model):
    """What one show sold and gave back in one tier on one day in one way, days being those of the venue."""

    show = models.ForeignKey(
        Show, on_delete=models.CASCADE, related_name="takings", verbose_name=_("show"), db_index=False
    )
    tier = models.ForeignKey(
        PriceTier, on_delete=models.CASCADE, related_name="+", verbose_name=_("price tier"), db_index=False
    )
    day = models.DateField(_("day"))
    channel = models.CharField(_("sold"), max_length=8, choices=Order.Channel.choices)
    # Empty where nothing was to pay.
    method = models.CharField(_("paid by"), max_length=8, choices=Payment.Method.choices, blank=True)
    complimentary = models.BooleanField(_("complimentary"))
    currency = models.CharField(_("currency"), max_length=3)
    # Seats of orders confirmed on this day, with what they cost; and seats given back on it, with what goes back.
    sold = models.PositiveIntegerField(_("seats sold"))
    gross = models.BigIntegerField(_("gross"), help_text=_("In the currency's minor unit."))
    given_back = models.PositiveIntegerField(_("seats given back"))
    refunded = models.BigIntegerField(_("refunded"), help_text=_("In the currency's minor unit."))

    class Meta:
        verbose_name = _("takings")
        verbose_name_plural = pgettext_lazy("the dashboard of takings", "sales")
        default_permissions = ("view",)
        permissions = [("view_all_takings", "Can see the sales of every show, not only of his own")]
        constraints = [
            # Also the index of the show's rows.
            models.UniqueConstraint(
                fields=["show", "day", "tier", "channel", "method", "complimentary", "currency"], name="takings_once"
            ),
        ]
        indexes = [models.Index(fields=["day"], name="takings_by_day")]

    def __str__(self) -> str:
        return f"{self.show_id}, {self.day}"


class TierSeats(models.Model):
    """How the seats of one tier of a show stood when they were counted."""

    tier = models.OneToOneField(
        PriceTier, on_delete=models.CASCADE, primary_key=True, related_name="+", verbose_name=_("price tier")
    )
    show = models.ForeignKey(Show, on_delete=models.CASCADE, related_name="+", verbose_name=_("show"))
    total = models.PositiveIntegerField(_("seats"))
    sold = models.PositiveIntegerField(_("sold"))
    blocked = models.PositiveIntegerField(_("put aside"))

    class Meta:
        verbose_name = _("seats of a tier")
        verbose_name_plural = _("seats of tiers")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.show_id}/{self.tier_id}"


class SalesDay(models.Model):
    """What became of the holds of a show that were begun on one day of the venue."""

    show = models.ForeignKey(Show, on_delete=models.CASCADE, related_name="+", verbose_name=_("show"), db_index=False)
    day = models.DateField(_("day"))
    # One for each time that somebody chose seats: a hold in whose place another came is not counted beside it.
    holds = models.PositiveIntegerField(_("holds"))
    orders = models.PositiveIntegerField(_("orders"))
    paid = models.PositiveIntegerField(_("orders confirmed"))

    class Meta:
        verbose_name = _("day of sales")
        verbose_name_plural = _("days of sales")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["show", "day"], name="sales_day_once")]
        indexes = [models.Index(fields=["day"], name="sales_day_by_day")]

    def __str__(self) -> str:
        return f"{self.show_id}, {self.day}"


class SalesCount(models.Model):
    """When the sales of a show were last counted."""

    show = models.OneToOneField(
        Show, on_delete=models.CASCADE, primary_key=True, related_name="+", verbose_name=_("show")
    )
    # Whatever was sold or given back, and committed, before this instant is counted.
    as_of = models.DateTimeField(_("as of"))
    version = models.PositiveIntegerField(_("version"), default=1)

    class Meta:
        verbose_name = _("count of sales")
        verbose_name_plural = _("counts of sales")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.show_id}: {self.as_of:%Y-%m-%d %H:%M:%S}"


class SalesChange(models.Model):
    """A mark: something was sold, given back or moved, and the show has not been counted since.

    Triggers append them (``boxoffice/sales/marks.py``), in the transaction of the change; whoever counts takes away the
    ones that his count has seen. A row of its own and not a mark on the show, so that no sale waits for another.
    """

    # No foreign key: it would lock the show once more.
    show_id = models.BigIntegerField(_("show"))
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("change of sales")
        verbose_name_plural = _("changes of sales")
        default_permissions = ()
        indexes = [models.Index(fields=["show_id"], name="sales_change_by_show")]

    def __str__(self) -> str:
        return f"{self.show_id}, {self.at:%Y-%m-%d %H:%M:%S}"
