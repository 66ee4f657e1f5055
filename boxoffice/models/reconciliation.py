"""What comparing a day's money with the payment provider has found, and what became of it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.models.balance_transaction import BalanceTransaction
from boxoffice.models.order import Order
from boxoffice.models.payment import Payment
from boxoffice.models.refund import Refund
from jobs.clock import DatabaseNow


class Reconciliation(models.Model):
    """One row per day, in UTC: ``reading → comparing → done``, and from each back to reading when it is run again.

    Changed by ``boxoffice/reconciliation/transitions.py`` and ``write_days.py``. Read it by
    ``boxoffice/reconciliation/read_day.py``, which knows what the sums are.
    """

    class State(models.TextChoices):
        READING = "reading", pgettext_lazy("reconciliation", "being read")
        COMPARING = "comparing", pgettext_lazy("reconciliation", "being compared")
        DONE = "done", pgettext_lazy("reconciliation", "done")

    class Origin(models.TextChoices):
        API = "api", _("asked for at the provider")
        REPORT = "report", _("read from a report")

    day = models.DateField(_("day"), unique=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.READING)
    origin = models.CharField(_("from where"), max_length=10, choices=Origin.choices)
    # Grows each time that it is begun, so that a job of a run before this one changes nothing.
    run = models.PositiveIntegerField(_("run"), default=1)
    # The last transaction that was read: the provider's list goes on after it. Empty before the first page.
    cursor = models.CharField(_("cursor"), max_length=255, blank=True, default="")
    pages = models.PositiveIntegerField(_("pages read"), default=0)
    # What this run reads, and what has been read whole: nothing is missed in it that was there.
    reads_from = models.DateTimeField(_("reads from"))
    reads_until = models.DateTimeField(_("reads until"))
    read_from = models.DateTimeField(_("was read from"), null=True)
    read_until = models.DateTimeField(_("was read until"), null=True)
    # Of the day as it was compared last: counts of it, and sums by currency.
    transactions = models.PositiveIntegerField(_("transactions"), default=0)
    matched = models.PositiveIntegerField(_("matched"), default=0)
    in_flight = models.PositiveIntegerField(_("in flight"), default=0)
    findings = models.PositiveIntegerField(_("findings"), default=0)
    sums = models.JSONField(_("sums"), default=dict)
    begun_at = models.DateTimeField(_("begun"), db_default=DatabaseNow())
    compared_at = models.DateTimeField(_("compared"), null=True)

    class Meta:
        verbose_name = _("reconciliation")
        verbose_name_plural = _("reconciliations")
        default_permissions = ("view",)
        permissions = [("reconcile", "Can have a day reconciled with the payment provider, and settle its findings")]
        constraints = [
            models.CheckConstraint(
                name="reconciliation_state_is_known", condition=Q(state__in=("reading", "comparing", "done"))
            ),
            models.CheckConstraint(name="reconciliation_origin_is_known", condition=Q(origin__in=("api", "report"))),
            models.CheckConstraint(
                name="reconciliation_done_was_compared", condition=~Q(state="done") | Q(compared_at__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day:%Y-%m-%d}"


class Finding(models.Model):
    """Something that is not alike here and at the provider. Once per kind and source, however often it is found.

    ``open → resolved``, by a person or because the other side came (``matched later``), and back only from the latter.
    Changed by ``boxoffice/reconciliation/transitions.py`` and ``compare.py`` alone.
    """

    class Kind(models.TextChoices):
        ONLY_THERE = "only there", _("paid at the provider, not here")
        ONLY_HERE = "only here", _("paid here, not at the provider")
        OTHER_AMOUNT = "other amount", _("another amount")
        OTHER_CURRENCY = "other currency", _("another currency")
        PAID_TWICE = "paid twice", _("paid twice")
        REFUNDED_THERE = "refunded there", _("refunded at the provider, not here")
        REFUNDED_HERE = "refunded here", _("refunded here, not at the provider")
        DISPUTE = "dispute", _("disputed")
        FEE = "fee", _("fee out of line")
        PENDING = "pending", _("still pending")

    class Action(models.TextChoices):
        """What one click does: see the table in ``docs/reconciliation.md``."""

        CONFIRM = "confirm", pgettext_lazy("finding", "confirm")
        REFUND = "refund", pgettext_lazy("finding", "refund")
        ATTACH = "attach", pgettext_lazy("finding", "attach")
        WRITE_OFF = "write off", pgettext_lazy("finding", "write off")

    class Resolution(models.TextChoices):
        CONFIRMED = "confirmed", pgettext_lazy("finding", "confirmed")
        REFUNDED = "refunded", pgettext_lazy("finding", "refunded")
        ATTACHED = "attached", pgettext_lazy("finding", "attached")
        WRITTEN_OFF = "written off", pgettext_lazy("finding", "written off")
        MATCHED_LATER = "matched later", pgettext_lazy("finding", "matched later")

    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)
    # ``txn_…`` for what the provider has, ``payment:12`` and ``refund:34`` for what it has not, ``dispute:du_…``.
    source = models.CharField(_("source"), max_length=300)
    # The day whose sums it is in.
    day = models.DateField(_("day"))
    # The day whose run told it first: the mail about that day names it, and no other.
    told_with = models.DateField(_("told with"))
    # How much is in question, in the provider's smallest unit (see ``BalanceTransaction``); below 0 it went out.
    amount = models.BigIntegerField(_("amount"))
    currency = models.CharField(_("currency"), max_length=3)
    # What either side says, where it says something; ours in its own currency.
    there = models.BigIntegerField(_("at the provider"), null=True)
    here = models.BigIntegerField(_("here"), null=True)
    here_currency = models.CharField(_("currency here"), max_length=3, blank=True)
    suggestion = models.CharField(_("suggested"), max_length=10, choices=Action.choices)
    transaction = models.ForeignKey(
        BalanceTransaction,
        on_delete=models.PROTECT,
        related_name="findings",
        null=True,
        verbose_name=_("balance transaction"),
    )
    payment = models.ForeignKey(
        Payment, on_delete=models.PROTECT, related_name="findings", null=True, verbose_name=_("payment")
    )
    refund = models.ForeignKey(
        Refund, on_delete=models.PROTECT, related_name="findings", null=True, verbose_name=_("refund")
    )
    order = models.ForeignKey(
        Order, on_delete=models.PROTECT, related_name="findings", null=True, verbose_name=_("order")
    )
    found_at = models.DateTimeField(_("found"), db_default=DatabaseNow())
    owner = models.CharField(_("taken by"), max_length=150, blank=True, default="")
    taken_at = models.DateTimeField(_("taken"), null=True)
    resolution = models.CharField(_("resolved"), max_length=15, choices=Resolution.choices, blank=True, default="")
    # Empty for what has resolved itself.
    resolved_by = models.CharField(_("resolved by"), max_length=150, blank=True, default="")
    resolved_at = models.DateTimeField(_("resolved at"), null=True)
    reason = models.CharField(_("reason"), max_length=300, blank=True, default="")

    class Meta:
        verbose_name = _("finding")
        verbose_name_plural = _("findings")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["kind", "source"], name="finding_once"),
            models.CheckConstraint(
                name="finding_kind_is_known",
                condition=Q(
                    kind__in=(
                        "only there",
                        "only here",
                        "other amount",
                        "other currency",
                        "paid twice",
                        "refunded there",
                        "refunded here",
                        "dispute",
                        "fee",
                        "pending",
                    )
                ),
            ),
            models.CheckConstraint(
                name="finding_suggestion_is_known",
                condition=Q(suggestion__in=("confirm", "refund", "attach", "write off")),
            ),
            models.CheckConstraint(
                name="finding_resolved_says_when_and_by_whom",
                condition=Q(resolution="", resolved_at__isnull=True, resolved_by="")
                | Q(resolution="matched later", resolved_at__isnull=False, resolved_by="")
                | Q(resolution__in=("confirmed", "refunded", "attached", "written off"), resolved_at__isnull=False)
                & ~Q(resolved_by=""),
            ),
            models.CheckConstraint(
                name="finding_taken_has_its_instant", condition=Q(owner="") | Q(taken_at__isnull=False)
            ),
        ]
        indexes = [
            models.Index(fields=["day", "id"], name="finding_open", condition=Q(resolution="")),
            models.Index(fields=["day", "id"], name="finding_by_day"),
            models.Index(fields=["told_with", "id"], name="finding_by_mail"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.source}"

    @property
    def is_open(self) -> bool:
        """Whether somebody must still do something about it."""
        return not self.resolution
