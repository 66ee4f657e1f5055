"""One movement of our balance at the payment provider, as it tells it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.models.payment import Payment
from boxoffice.models.refund import Refund
from jobs.clock import DatabaseNow


class BalanceTransaction(models.Model):
    """Once per transaction of the provider, however often and from where it is read. Written by
    ``boxoffice/reconciliation`` alone.

    Amounts are in the smallest unit *as the provider counts it*, which is 100 times ours for ISK and UGX: a fee may be
    a fraction of what we can count. ``boxoffice/reconciliation/amounts.py`` knows both.
    """

    class Outcome(models.TextChoices):
        """What the newest comparison made of it. Each transaction stands in one of them, so that their sums are all."""

        UNREAD = "unread", pgettext_lazy("reconciliation", "not compared yet")
        MATCHED = "matched", pgettext_lazy("reconciliation", "matched")
        FINDING = "finding", pgettext_lazy("reconciliation", "finding")
        IN_FLIGHT = "in flight", pgettext_lazy("reconciliation", "in flight")
        # Two that undo each other at the provider and concern nothing of ours: a dispute that was won, for example.
        UNDONE = "undone", pgettext_lazy("reconciliation", "undone by another")
        # Payouts, fees that are charged by themselves, adjustments: money that no order is about.
        OTHER = "other", pgettext_lazy("reconciliation", "not about orders")

    provider_id = models.CharField(_("id at the provider"), max_length=255)
    # The provider's ``reporting_category``: charge, refund, refund_failure, dispute, payout …
    category = models.CharField(_("category"), max_length=60)
    amount = models.BigIntegerField(_("gross"), help_text=_("In the provider's smallest unit; below 0 it goes out."))
    fee = models.BigIntegerField(_("fee"))
    net = models.BigIntegerField(_("net"))
    currency = models.CharField(_("currency"), max_length=3)
    created_at = models.DateTimeField(_("created"))
    available_at = models.DateTimeField(_("available"), null=True)
    # What it is about: a charge, a refund, a dispute, a payout; and the money and the payment behind that.
    source = models.CharField(_("source"), max_length=255, blank=True)
    charge_id = models.CharField(_("charge"), max_length=255, blank=True)
    intent_id = models.CharField(_("id of the money at the provider"), max_length=255, blank=True)
    # What we gave along: the payment's key, the number of the refund's row, the order's code.
    payment_key = models.CharField(_("our key"), max_length=255, blank=True)
    refund_number = models.CharField(_("our number of the refund"), max_length=255, blank=True)
    order_code = models.CharField(_("order"), max_length=255, blank=True)
    read_at = models.DateTimeField(_("read"), db_default=DatabaseNow())

    outcome = models.CharField(
        _("outcome"), max_length=10, choices=Outcome.choices, default=Outcome.UNREAD, db_default=Outcome.UNREAD
    )
    # Which of ours it belongs to; a finding has one where both sides know it and tell it differently.
    payment = models.ForeignKey(
        Payment,
        on_delete=models.PROTECT,
        related_name="balance_transactions",
        null=True,
        verbose_name=_("payment"),
        db_index=False,
    )
    refund = models.ForeignKey(
        Refund,
        on_delete=models.PROTECT,
        related_name="balance_transactions",
        null=True,
        verbose_name=_("refund"),
        db_index=False,
    )

    class Meta:
        verbose_name = _("balance transaction")
        verbose_name_plural = _("balance transactions")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["provider_id"], name="balance_once_per_provider_id"),
            models.CheckConstraint(
                name="balance_net_is_gross_less_fee", condition=Q(net=models.F("amount") - models.F("fee"))
            ),
            models.CheckConstraint(name="balance_currency_is_a_code", condition=Q(currency__regex=r"^[A-Z]{3}$")),
            models.CheckConstraint(
                name="balance_outcome_is_known",
                condition=Q(outcome__in=("unread", "matched", "finding", "in flight", "undone", "other")),
            ),
        ]
        indexes = [
            models.Index(fields=["created_at", "id"], name="balance_by_day"),
            models.Index(fields=["source"], name="balance_by_source"),
            models.Index(fields=["intent_id"], name="balance_by_intent", condition=~Q(intent_id="")),
            models.Index(fields=["payment"], name="balance_by_payment", condition=Q(payment__isnull=False)),
            models.Index(fields=["refund"], name="balance_by_refund", condition=Q(refund__isnull=False)),
            # Those that are looked at again each time: few.
            models.Index(fields=["id"], name="balance_undecided", condition=Q(outcome__in=("unread", "in flight"))),
        ]

    def __str__(self) -> str:
        return self.provider_id
