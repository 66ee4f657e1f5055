"""An order and its lines: who bought which seats of one show, and at what price."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from inventory.models import Hold, Seat, Show
from inventory.money import Money
from jobs.clock import DatabaseNow


class Order(models.Model):
    """The sale of one hold. UNIQUE (hold) makes placing it again find the same order."""

    class Status(models.TextChoices):
        """`pending_payment → confirmed → partly_refunded → refunded | cancelled`, or `expired`."""

        PENDING_PAYMENT = "pending_payment", _("waiting for payment")
        CONFIRMED = "confirmed", _("confirmed")
        PARTLY_REFUNDED = "partly_refunded", _("partly refunded")
        REFUNDED = "refunded", _("refunded")
        CANCELLED = "cancelled", pgettext_lazy("order", "cancelled")
        EXPIRED = "expired", _("expired")

    class Channel(models.TextChoices):
        """Where it was sold. Staff sell at the counter and by telephone, fans help themselves on the web."""

        WEB = "web", _("on the web")
        COUNTER = "counter", _("at the counter")
        PHONE = "phone", _("by telephone")

    code = models.CharField(_("code"), max_length=12, unique=True)
    # The page of an order needs no login: whoever knows this token may see it. It stays out of logs and jobs.
    token = models.CharField(_("secret of its page"), max_length=43)
    hold = models.OneToOneField(Hold, on_delete=models.PROTECT, related_name="order", verbose_name=_("hold"))
    show = models.ForeignKey(
        Show, on_delete=models.PROTECT, related_name="orders", verbose_name=_("show"), db_index=False
    )
    name = models.CharField(_("name"), max_length=200)
    # Empty where staff sold it to somebody who has none: no mail is planned then, and the tickets are printed.
    email = models.CharField(_("e-mail"), max_length=254, blank=True)
    language = models.CharField(_("language"), max_length=16)
    status = models.CharField(_("status"), max_length=20, choices=Status.choices, default=Status.PENDING_PAYMENT)
    total = models.BigIntegerField(_("total"), help_text=_("In the currency's minor unit."))
    currency = models.CharField(_("currency"), max_length=3)
    channel = models.CharField(
        _("sold"), max_length=8, choices=Channel.choices, default=Channel.WEB, db_default=Channel.WEB
    )
    # Given away by staff though the seats have a price: its lines cost nothing, and takings tell it apart.
    complimentary = models.BooleanField(_("complimentary"), default=False, db_default=False)
    # The code of the tracked link that led the fan to the show; empty for none. Plain text: links come and go.
    link_code = models.CharField(_("came by link"), max_length=32, blank=True, default="", db_default="")
    placed_at = models.DateTimeField(_("placed"), db_default=DatabaseNow())
    confirmed_at = models.DateTimeField(_("confirmed"), null=True, blank=True)

    class Meta:
        verbose_name = _("order")
        verbose_name_plural = _("orders")
        permissions = [
            ("refund_order", "Can refund orders and try refused refunds again"),
            ("pay_out", "Can record that a refund was paid out by hand"),
            ("correct_name", "Can correct the name of orders"),
            ("render_tickets", "Can have tickets rendered anew"),
            ("print_tickets", "Can open and print the tickets of orders"),
            ("cancel_order", "Can cancel orders"),
            ("move_order", "Can move orders to other seats"),
            ("sell_order", "Can sell at the counter and by telephone"),
            ("give_tickets", "Can give complimentary tickets away"),
        ]
        constraints = [
            # Not unique=True, which would add a second index, for LIKE, that nobody needs.
            models.UniqueConstraint(fields=["token"], name="order_token_once"),
            models.CheckConstraint(
                name="order_status_is_known",
                condition=Q(
                    status__in=(
                        "pending_payment",
                        "confirmed",
                        "partly_refunded",
                        "refunded",
                        "cancelled",
                        "expired",
                    )
                ),
            ),
            models.CheckConstraint(name="order_total_is_not_negative", condition=Q(total__gte=0)),
            models.CheckConstraint(name="order_channel_is_known", condition=Q(channel__in=("web", "counter", "phone"))),
            models.CheckConstraint(
                name="order_complimentary_costs_nothing", condition=Q(complimentary=False) | Q(total=0)
            ),
            models.CheckConstraint(
                name="order_without_email_was_sold_by_staff", condition=~Q(email="") | ~Q(channel="web")
            ),
            models.CheckConstraint(name="order_currency_is_a_code", condition=Q(currency__regex=r"^[A-Z]{3}$")),
            # Refunded and cancelled orders may or may not have been confirmed before: money can come too late.
            models.CheckConstraint(
                name="order_confirmed_has_its_instant",
                condition=Q(status__in=("refunded", "cancelled"))
                | Q(status__in=("confirmed", "partly_refunded"), confirmed_at__isnull=False)
                | Q(status__in=("pending_payment", "expired"), confirmed_at__isnull=True),
            ),
        ]
        indexes = [
            models.Index(F("placed_at").desc(), name="order_newest_first"),
            models.Index(fields=["show", "status"], name="order_by_show"),
            models.Index(F("show"), Lower("email"), name="order_by_buyer"),
            # For the page of clicks. Most orders came by none.
            models.Index(fields=["link_code", "confirmed_at"], name="order_by_link", condition=~Q(link_code="")),
            # For the desk's list by status. Most orders are confirmed, and leave it when they are.
            models.Index(
                F("status"), F("placed_at").desc(), name="order_rare_status", condition=~Q(status="confirmed")
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def subject(self) -> str:
        """What jobs and notifications about this order name as their subject."""
        return subject_of(code=self.code)

    @property
    def money(self) -> Money:
        """The total with its currency."""
        return Money(self.total, self.currency)


class OrderLine(models.Model):
    """One seat of an order at the price that its hold promised. Later changes of the tier do not reach it."""

    order = models.ForeignKey(
        Order, on_delete=models.CASCADE, related_name="lines", verbose_name=_("order"), db_index=False
    )
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="+", verbose_name=_("seat"))
    tier_name = models.CharField(_("tier"), max_length=200)
    price = models.BigIntegerField(_("price"), help_text=_("In the currency's minor unit."))
    # When the seat was given back. The newest attempt to pay for it is ``refund``, which what was free does not have.
    refunded_at = models.DateTimeField(_("given back"), null=True, blank=True)
    refund = models.ForeignKey(
        "boxoffice.Refund",
        on_delete=models.PROTECT,
        related_name="lines",
        null=True,
        blank=True,
        verbose_name=_("refund"),
    )

    class Meta:
        verbose_name = _("order line")
        verbose_name_plural = _("order lines")
        constraints = [
            # Also the index of the order's lines.
            models.UniqueConstraint(fields=["order", "seat"], name="orderline_seat_once"),
            models.CheckConstraint(name="orderline_price_is_not_negative", condition=Q(price__gte=0)),
            models.CheckConstraint(
                name="orderline_with_a_refund_is_given_back",
                condition=Q(refund__isnull=True) | Q(refunded_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.order_id}/{self.seat_id}"

    @property
    def money(self) -> Money:
        """The price with its currency. Reads the order unless it was selected along."""
        return Money(self.price, self.order.currency)


def subject_of(*, code: str) -> str:
    """The subject of all jobs and notifications about the order with this code: ``order:<code>``."""
    return f"order:{code}"


def code_of(*, subject: str) -> str:
    """The order code in a subject. Raises ValueError for the subject of something else."""
    kind, separator, code = subject.partition(":")
    if kind != "order" or not separator or not code:
        raise ValueError(f"{subject!r} is not about an order.")
    return code
