"""One attempt to give money back. Modelled ahead of the payment provider."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from boxoffice.models.payment import Payment
from jobs.clock import DatabaseNow


class Refund(models.Model):
    """One row per attempt: a refusal ends it, and a later try is a new row with a new key."""

    class Status(models.TextChoices):
        """`planned → pending → succeeded | failed`."""

        PLANNED = "planned", _("planned")
        PENDING = "pending", _("pending")
        SUCCEEDED = "succeeded", _("succeeded")
        FAILED = "failed", _("failed")

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="refunds", verbose_name=_("payment"))
    status = models.CharField(_("status"), max_length=10, choices=Status.choices, default=Status.PLANNED)
    amount = models.BigIntegerField(_("amount"), help_text=_("In the currency's minor unit."))
    currency = models.CharField(_("currency"), max_length=3)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    idempotency_key = models.CharField(_("idempotency key"), max_length=64)
    provider_id = models.CharField(_("id at the provider"), max_length=255, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)

    class Meta:
        verbose_name = _("refund")
        verbose_name_plural = _("refunds")
        constraints = [
            models.UniqueConstraint(fields=["idempotency_key"], name="refund_key_once"),
            models.CheckConstraint(
                name="refund_status_is_known",
                condition=Q(status__in=("planned", "pending", "succeeded", "failed")),
            ),
            models.CheckConstraint(name="refund_amount_is_positive", condition=Q(amount__gt=0)),
            models.CheckConstraint(name="refund_currency_is_a_code", condition=Q(currency__regex=r"^[A-Z]{3}$")),
            models.CheckConstraint(name="refund_has_a_key", condition=~Q(idempotency_key="")),
            models.CheckConstraint(
                name="refund_settled_has_its_instant",
                condition=Q(status__in=("planned", "pending"), settled_at__isnull=True)
                | Q(status__in=("succeeded", "failed"), settled_at__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["provider_id"], name="refund_once_per_provider_id", condition=~Q(provider_id="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.payment_id}/{self.pk}"
