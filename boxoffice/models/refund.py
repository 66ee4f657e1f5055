"""One attempt to give money back."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from boxoffice.models.payment import Payment
from inventory.money import Money
from jobs.clock import DatabaseNow


class Refund(models.Model):
    """One row per attempt: a refusal ends it, and a later try is a new row with a new key.

    ``planned → pending → succeeded | failed``, and succeeded → failed when the bank sends the money back. Changed
    through ``boxoffice.refunds.transitions`` only.
    """

    class Status(models.TextChoices):
        PLANNED = "planned", _("planned")
        PENDING = "pending", _("pending")
        SUCCEEDED = "succeeded", _("succeeded")
        FAILED = "failed", _("failed")

    class Failure(models.TextChoices):
        """How an attempt ended without success. Only the second leaves open whether money has moved."""

        REFUSED = "refused", _("refused by the payment provider")
        UNANSWERED = "unanswered", _("given up without a clear answer")
        KEY_SPENT = "key spent", _("failed at the payment provider")
        RETURNED = "returned", _("sent back by the bank")

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="refunds", verbose_name=_("payment"))
    status = models.CharField(_("status"), max_length=10, choices=Status.choices, default=Status.PLANNED)
    amount = models.BigIntegerField(_("amount"), help_text=_("In the currency's minor unit."))
    currency = models.CharField(_("currency"), max_length=3)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    idempotency_key = models.CharField(_("idempotency key"), max_length=64)
    provider_id = models.CharField(_("id at the provider"), max_length=255, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)
    failure = models.CharField(_("failure"), max_length=12, choices=Failure.choices, blank=True, db_default="")
    failure_code = models.CharField(_("the provider's code"), max_length=100, blank=True, db_default="")
    failure_message = models.CharField(_("the provider's words"), max_length=500, blank=True, db_default="")
    # UNIQUE: however often somebody presses, a failed attempt is tried again once.
    replaces = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        related_name="replaced_by",
        null=True,
        blank=True,
        verbose_name=_("tries again"),
    )
    # Whether the money is in our own hands, as its payment's method says. Here as well, so that the few which wait for
    # staff are found among tens of thousands that wait for the provider.
    by_hand = models.BooleanField(_("to be paid out by hand"), default=False, db_default=False)
    # The cancelled show for which it was planned. Later attempts take it over.
    cancellation = models.ForeignKey(
        "boxoffice.Cancellation",
        on_delete=models.PROTECT,
        related_name="refunds",
        null=True,
        blank=True,
        db_index=False,
        db_constraint=False,  # see CancelledOrder
        verbose_name=_("cancellation of a show"),
    )

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
            models.CheckConstraint(
                name="refund_failed_says_how",
                condition=Q(status="failed", failure__in=("refused", "unanswered", "key spent", "returned"))
                | ~Q(status="failed") & Q(failure=""),
            ),
            models.UniqueConstraint(
                fields=["provider_id"], name="refund_once_per_provider_id", condition=~Q(provider_id="")
            ),
        ]

        indexes = [
            models.Index(fields=["created_at"], condition=~Q(status="succeeded"), name="refund_without_success"),
            # Those that a human must look at, in three small indexes; most refunds are never in one of them.
            models.Index(fields=["payment"], condition=Q(status="failed"), name="refund_failed"),
            models.Index(fields=["created_at"], condition=Q(status="pending"), name="refund_pending"),
            models.Index(fields=["cancellation"], condition=Q(status="planned", by_hand=True), name="refund_by_hand"),
            # What went back on a day.
            models.Index(fields=["settled_at"], condition=Q(status="succeeded"), name="refund_by_settlement"),
            # How far a cancellation has come is counted in this index alone.
            models.Index(
                fields=["cancellation", "status", "settled_at"],
                include=["amount", "currency", "failure", "replaces"],
                condition=Q(cancellation__isnull=False),
                name="refund_of_cancellation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.payment_id}/{self.pk}"

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money(self.amount, self.currency)

    @property
    def is_written_off(self) -> bool:
        """Whether it failed, and staff have given its money up: nobody tries it again. A query or two where it has not
        come with ``payment__write_off``.
        """
        return self.status == self.Status.FAILED and getattr(self.payment, "write_off", None) is not None
