"""A show and the tiers its seats are priced in."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from inventory.models.venue import SeatingPlan, Venue
from inventory.money import Money
from jobs.clock import DatabaseNow


class Show(models.Model):
    """One performance: `draft → scheduled → over | postponed (→ scheduled) | cancelled`.

    It sells from `on_sale_at` until `starts_at`, both compared in the database, whether or not a job has run.
    """

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        SCHEDULED = "scheduled", _("scheduled")
        POSTPONED = "postponed", _("postponed")
        OVER = "over", _("over")
        CANCELLED = "cancelled", _("cancelled")

    venue = models.ForeignKey(Venue, on_delete=models.PROTECT, related_name="shows", verbose_name=_("venue"))
    plan = models.ForeignKey(
        SeatingPlan, on_delete=models.PROTECT, related_name="shows", verbose_name=_("seating plan")
    )
    title = models.CharField(_("title"), max_length=200)
    slug = models.SlugField(_("short name in addresses"), max_length=120, unique=True)
    subtitle = models.CharField(_("subtitle"), max_length=200, blank=True)
    description = models.TextField(_("description"), blank=True)
    starts_at = models.DateTimeField(_("starts"))
    doors_at = models.DateTimeField(_("doors open"))
    on_sale_at = models.DateTimeField(_("on sale from"))
    status = models.CharField(_("status"), max_length=20, choices=Status.choices, default=Status.DRAFT, editable=False)
    currency = models.CharField(_("currency"), max_length=3, help_text=_("Three letters, such as EUR."))
    version = models.PositiveIntegerField(_("version"), default=1, editable=False)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow(), editable=False)

    class Meta:
        verbose_name = _("show")
        verbose_name_plural = _("shows")
        ordering = ["starts_at", "id"]
        constraints = [
            models.CheckConstraint(
                name="show_status_is_known",
                condition=Q(status__in=("draft", "scheduled", "postponed", "over", "cancelled")),
            ),
            models.CheckConstraint(name="show_currency_is_a_code", condition=Q(currency__regex=r"^[A-Z]{3}$")),
            models.CheckConstraint(
                name="show_doors_open_before_it_starts",
                condition=Q(doors_at__lte=F("starts_at")),
                violation_error_message=_("The doors must open before the show starts."),
            ),
            models.CheckConstraint(
                name="show_sells_before_it_starts",
                condition=Q(on_sale_at__lt=F("starts_at")),
                violation_error_message=_("The sale must open before the show starts."),
            ),
        ]
        indexes = [models.Index(fields=["starts_at"], name="show_by_start")]

    def __str__(self) -> str:
        return self.title

    @property
    def takes_place(self) -> bool:
        """Whether seats of it can become somebody's: it was announced, with a time or without, and is neither cancelled
        nor over. ``transitions.lock_show_that_takes_place`` asks the same of the row, and has it stay so.
        """
        return self.status in (Show.Status.SCHEDULED, Show.Status.POSTPONED)

    @property
    def subject(self) -> str:
        """What jobs and notifications about this show carry."""
        return subject_of(show_id=self.pk)

    @property
    def starts_at_local(self) -> datetime:
        """The start in the venue's time zone."""
        return self.starts_at.astimezone(self.venue.zone)

    @property
    def doors_at_local(self) -> datetime:
        """The opening of the doors in the venue's time zone."""
        return self.doors_at.astimezone(self.venue.zone)

    @property
    def on_sale_at_local(self) -> datetime:
        """The opening of the sale in the venue's time zone."""
        return self.on_sale_at.astimezone(self.venue.zone)


class PriceTier(models.Model):
    """The price of all seats of one category of the plan, in the currency of the show."""

    show = models.ForeignKey(
        Show, on_delete=models.CASCADE, related_name="tiers", verbose_name=_("show"), db_index=False
    )
    name = models.CharField(_("name"), max_length=200)
    category = models.CharField(_("category in the plan"), max_length=200, editable=False)
    price = models.BigIntegerField(_("price"), help_text=_("In the currency's minor unit, such as cents."))
    color = models.CharField(_("colour"), max_length=7)
    position = models.PositiveIntegerField(pgettext_lazy("place among others", "order"), default=0)
    wheelchair = models.BooleanField(
        _("wheelchair places"),
        default=False,
        db_default=False,
        help_text=_("Marked ♿ in the seat map. Name the tier so that a ticket tells it too."),
    )

    class Meta:
        verbose_name = _("price tier")
        verbose_name_plural = _("price tiers")
        ordering = ["position", "id"]
        constraints = [
            # Also the index of the show's tiers.
            models.UniqueConstraint(fields=["show", "category"], name="tier_category_once_per_show"),
            models.CheckConstraint(
                name="tier_price_is_not_negative",
                condition=Q(price__gte=0),
                violation_error_message=_("A price cannot be negative."),
            ),
            models.CheckConstraint(name="tier_color_is_hexadecimal", condition=Q(color__regex=r"^#[0-9a-f]{6}$")),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def money(self) -> Money:
        """The price with the show's currency. Reads the show unless it was selected along."""
        return Money(self.price, self.show.currency)


def subject_of(*, show_id: int) -> str:
    """The subject of all jobs and notifications about the show with this id: ``show:<id>``."""
    return f"show:{show_id}"


def show_id_of(*, subject: str) -> int:
    """The show's id in a subject. Raises ValueError for the subject of something else."""
    kind, _separator, name = subject.partition(":")
    if kind != "show" or not name.isdecimal():
        raise ValueError(f"{subject!r} is not about a show.")
    return int(name)
