"""That somebody disputes a payment with his bank, as the payment provider tells it."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.models.payment import Payment
from inventory.money import Money
from jobs.clock import DatabaseNow


class Dispute(models.Model):
    """One row per dispute at the provider, as it answered last. It leads: no state is ours to give.

    Changed by ``boxoffice/disputes/transitions.py`` only. Which states hold the money back, and which have lost it:
    ``boxoffice/disputes/standing.py``.
    """

    class Status(models.TextChoices):
        """The provider's own states. A warning is an inquiry: the bank asks, and has taken nothing yet."""

        WARNING_NEEDS_RESPONSE = "warning_needs_response", _("inquiry, waits for our answer")
        WARNING_UNDER_REVIEW = "warning_under_review", _("inquiry, being looked at by the bank")
        WARNING_CLOSED = "warning_closed", _("inquiry, closed without a dispute")
        NEEDS_RESPONSE = "needs_response", _("waits for our evidence")
        UNDER_REVIEW = "under_review", _("being decided by the bank")
        APPEAL_NEEDS_RESPONSE = "appeal_needs_response", _("appeal, waits for our evidence")
        APPEAL_UNDER_REVIEW = "appeal_under_review", _("appeal, being decided by the bank")
        WON = "won", pgettext_lazy("dispute", "won")
        LOST = "lost", pgettext_lazy("dispute", "lost")
        PREVENTED = "prevented", _("given back by the bank without a dispute")

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="disputes", verbose_name=_("payment"))
    provider_id = models.CharField(_("id at the provider"), max_length=255)
    status = models.CharField(_("status"), max_length=24, choices=Status.choices)
    # What the owner of the card says, as the provider words it.
    reason = models.CharField(_("reason"), max_length=60, blank=True)
    amount = models.BigIntegerField(_("disputed amount"), help_text=_("In the currency's minor unit."))
    currency = models.CharField(_("currency"), max_length=3)
    # What the provider took from our balance for it, less what it has put back, and what it charges for it.
    withdrawn = models.BigIntegerField(_("taken from the balance"), default=0)
    fee = models.BigIntegerField(_("fee"), default=0)
    evidence_due_at = models.DateTimeField(_("evidence is due"), null=True, blank=True)
    opened_at = models.DateTimeField(_("opened"))
    # When the question was asked that this row answers: a later answer replaces an earlier one, and never the reverse.
    asked_at = models.DateTimeField(_("asked"))
    # Since when it stands like this.
    changed_at = models.DateTimeField(_("changed"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("dispute")
        verbose_name_plural = _("disputes")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["provider_id"], name="dispute_once_per_provider_id"),
            models.CheckConstraint(
                name="dispute_status_is_known",
                condition=Q(
                    status__in=(
                        "warning_needs_response",
                        "warning_under_review",
                        "warning_closed",
                        "needs_response",
                        "under_review",
                        "appeal_needs_response",
                        "appeal_under_review",
                        "won",
                        "lost",
                        "prevented",
                    )
                ),
            ),
            models.CheckConstraint(name="dispute_amount_is_positive", condition=Q(amount__gt=0)),
            models.CheckConstraint(name="dispute_currency_is_a_code", condition=Q(currency__regex=r"^[A-Z]{3}$")),
        ]
        indexes = [
            # Those that wait for our answer, the most urgent first.
            models.Index(
                F("evidence_due_at").asc(nulls_last=True),
                F("id").asc(),
                condition=Q(status__in=("warning_needs_response", "needs_response", "appeal_needs_response")),
                name="dispute_waits_for_us",
            ),
        ]

    def __str__(self) -> str:
        return self.provider_id

    @property
    def money(self) -> Money:
        """The disputed amount with its currency."""
        return Money(self.amount, self.currency)


class DisputeStep(models.Model):
    """What became of a dispute, step by step, and of the tickets with it: its trail. Rows are only ever added, with the
    change itself. The provider's word causes every one of them, and no person.
    """

    class Tickets(models.TextChoices):
        """What was done with the order's tickets in the same transaction. Empty for nothing."""

        VOID = "void", _("tickets void")
        VALID = "valid", _("tickets valid again")

    dispute = models.ForeignKey(Dispute, on_delete=models.PROTECT, related_name="steps", verbose_name=_("dispute"))
    status = models.CharField(_("status"), max_length=24, choices=Dispute.Status.choices)
    withdrawn = models.BigIntegerField(_("taken from the balance"), default=0)
    tickets = models.CharField(_("tickets"), max_length=8, choices=Tickets.choices, blank=True, default="")
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("step of a dispute")
        verbose_name_plural = _("steps of disputes")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(name="dispute_step_tickets_is_known", condition=Q(tickets__in=("", "void", "valid")))
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.dispute_id}"
