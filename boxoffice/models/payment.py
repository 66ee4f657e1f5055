"""One attempt to take money for an order. Free orders have none."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from boxoffice.models.order import Order
from jobs.clock import DatabaseNow


class Payment(models.Model):
    """One row per attempt. The key is stored before the provider hears of the attempt (I4)."""

    class Status(models.TextChoices):
        """`created → pending → succeeded | failed | expired`."""

        CREATED = "created", _("created")
        PENDING = "pending", _("pending")
        SUCCEEDED = "succeeded", _("succeeded")
        FAILED = "failed", _("failed")
        EXPIRED = "expired", _("expired")

    class Method(models.TextChoices):
        """How it is paid. The provider knows of the first one alone; the others are money in our own hands."""

        ONLINE = "online", _("online")
        CASH = "cash", _("cash")
        TERMINAL = "terminal", _("card terminal")

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="payments", verbose_name=_("order"))
    method = models.CharField(
        _("paid by"), max_length=8, choices=Method.choices, default=Method.ONLINE, db_default=Method.ONLINE
    )
    status = models.CharField(_("status"), max_length=10, choices=Status.choices, default=Status.CREATED)
    amount = models.BigIntegerField(_("amount"), help_text=_("In the currency's minor unit."))
    currency = models.CharField(_("currency"), max_length=3)
    idempotency_key = models.CharField(_("idempotency key"), max_length=64)
    provider_id = models.CharField(_("id at the provider"), max_length=255, blank=True)
    # What the provider is asked for, word for word: its key means this and nothing else, however often it is sent.
    request = models.JSONField(_("what the provider is asked for"), default=dict, blank=True)
    page_url = models.TextField(_("payment page"), blank=True)
    # Of the money itself, once it has come: refunds name it.
    intent_id = models.CharField(_("id of the money at the provider"), max_length=255, blank=True)
    problem = models.CharField(_("what is wrong"), max_length=500, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)

    class Meta:
        verbose_name = _("payment")
        verbose_name_plural = _("payments")
        indexes = [
            models.Index(fields=["intent_id"], name="payment_by_intent", condition=~Q(intent_id="")),
            # Those that a human must look at, and those that somebody has.
            models.Index(fields=["order", "id"], condition=~Q(problem=""), name="payment_with_a_problem"),
            # What came in on a day, at the provider.
            models.Index(
                fields=["settled_at"], condition=Q(status="succeeded", method="online"), name="payment_by_settlement"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["idempotency_key"], name="payment_key_once"),
            # However many tabs pay an order, one attempt is open at a time. Also the index of the open ones.
            models.UniqueConstraint(
                fields=["order"], name="payment_one_open_per_order", condition=Q(status__in=("created", "pending"))
            ),
            models.CheckConstraint(
                name="payment_status_is_known",
                condition=Q(status__in=("created", "pending", "succeeded", "failed", "expired")),
            ),
            models.CheckConstraint(
                name="payment_method_is_known", condition=Q(method__in=("online", "cash", "terminal"))
            ),
            models.CheckConstraint(
                name="payment_by_hand_is_unknown_to_the_provider",
                condition=Q(method="online") | Q(provider_id="", intent_id="", page_url=""),
            ),
            models.CheckConstraint(name="payment_amount_is_positive", condition=Q(amount__gt=0)),
            models.CheckConstraint(name="payment_currency_is_a_code", condition=Q(currency__regex=r"^[A-Z]{3}$")),
            models.CheckConstraint(name="payment_has_a_key", condition=~Q(idempotency_key="")),
            models.CheckConstraint(
                name="payment_settled_has_its_instant",
                condition=Q(status__in=("created", "pending"), settled_at__isnull=True)
                | Q(status__in=("succeeded", "failed", "expired"), settled_at__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["provider_id"], name="payment_once_per_provider_id", condition=~Q(provider_id="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.order_id}/{self.pk}"

    @property
    def is_by_hand(self) -> bool:
        """Whether the money is in our own hands: the provider can neither be asked for it nor give it back."""
        return self.method != Payment.Method.ONLINE
