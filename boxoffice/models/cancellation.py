"""A cancelled show: how far its process has come, what it did for each order, and what is given up."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.models.order import Order
from boxoffice.models.payment import Payment
from inventory.models import Show
from inventory.money import Money
from jobs.clock import DatabaseNow


class Cancellation(models.Model):
    """One per show, so that it cannot be started twice. ``refunding → telling → waiting → closing → closed``.

    Changed through ``boxoffice.cancellation.transitions`` only. Paused or not is beside the phase: planning, telling
    and waiting go on, and no refund is sent.
    """

    class Phase(models.TextChoices):
        REFUNDING = "refunding", _("planning refunds")
        TELLING = "telling", _("planning mails")
        WAITING = "waiting", _("refunds are being sent")
        CLOSING = "closing", _("the accounting is to be closed")
        CLOSED = "closed", _("closed")

    class Pause(models.TextChoices):
        """Who paused it. Empty for not paused."""

        STAFF = "staff", _("paused by staff")
        BALANCE = "balance", _("paused: the balance at the payment provider is too low")

    show = models.OneToOneField(Show, on_delete=models.PROTECT, related_name="cancellation", verbose_name=_("show"))
    phase = models.CharField(_("phase"), max_length=10, choices=Phase.choices, default=Phase.REFUNDING)
    # The last order of the phase's last page.
    cursor = models.BigIntegerField(_("cursor"), default=0)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=300)
    started_at = models.DateTimeField(_("started"), db_default=DatabaseNow())
    pause = models.CharField(_("paused"), max_length=10, choices=Pause.choices, blank=True, default="")
    paused_at = models.DateTimeField(_("paused at"), null=True, blank=True)
    paused_by = models.CharField(_("paused by"), max_length=150, blank=True, default="")
    pause_reason = models.CharField(_("why it is paused"), max_length=300, blank=True, default="")
    # Not before this instant; known since waiting began.
    close_at = models.DateTimeField(_("closes at"), null=True, blank=True)
    closed_at = models.DateTimeField(_("closed at"), null=True, blank=True)

    class Meta:
        verbose_name = _("cancellation of a show")
        verbose_name_plural = _("cancellations of shows")
        default_permissions = ("view",)
        permissions = [
            ("cancel_show", "Can cancel shows, and pause and resume their refunds"),
            ("write_off", "Can write off money that cannot be given back"),
        ]
        constraints = [
            models.CheckConstraint(
                name="cancellation_phase_is_known",
                condition=Q(phase__in=("refunding", "telling", "waiting", "closing", "closed")),
            ),
            models.CheckConstraint(name="cancellation_says_who_and_why", condition=~Q(by="") & ~Q(reason="")),
            models.CheckConstraint(
                name="cancellation_paused_says_since_when",
                condition=Q(pause="", paused_at__isnull=True)
                | Q(pause__in=("staff", "balance"), paused_at__isnull=False) & ~Q(paused_by=""),
            ),
            models.CheckConstraint(
                name="cancellation_waiting_knows_until_when",
                condition=Q(phase__in=("refunding", "telling")) | Q(close_at__isnull=False),
            ),
            models.CheckConstraint(
                name="cancellation_closed_has_its_instant",
                condition=Q(phase="closed", closed_at__isnull=False) | ~Q(phase="closed") & Q(closed_at__isnull=True),
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=~Q(phase="closed"), name="cancellation_open")]

    def __str__(self) -> str:
        return f"{self.show_id} ({self.get_phase_display()})"


class CancellationStep(models.Model):
    """What one step did, written by the transaction that did it. Rows are only ever added.

    A step that came a second time is refused by the constraint, with all that it did.
    """

    class Step(models.TextChoices):
        START = "start", _("sale and holds stopped")
        REFUND = "refund", _("refunds planned")
        TELL = "tell", _("mails planned")
        WAIT = "wait", _("began to wait")
        LOOK = "look", _("looked whether the accounting can be closed")
        CLOSE = "close", _("accounting closed")

    cancellation = models.ForeignKey(
        Cancellation, on_delete=models.PROTECT, related_name="steps", db_index=False, verbose_name=_("cancellation")
    )
    step = models.CharField(_("step"), max_length=10, choices=Step.choices)
    # Of the steps of a kind: the order that its page began behind, or how many looks came before.
    number = models.BigIntegerField(_("number"), default=0)
    # Counts and sums by name, those of money by currency in its minor unit.
    result = models.JSONField(_("result"), default=dict)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("step of a cancellation")
        verbose_name_plural = _("steps of cancellations")
        default_permissions = ()
        constraints = [
            # Also the index of the cancellation's steps.
            models.UniqueConstraint(fields=["cancellation", "step", "number"], name="cancellation_step_once"),
            models.CheckConstraint(
                name="cancellation_step_is_known",
                condition=Q(step__in=("start", "refund", "tell", "wait", "look", "close")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.step} {self.number}"


class CancelledOrder(models.Model):
    """What the cancellation of a show found and planned for one of its orders.

    How the money stands is read from the payments, refunds, disputes and write-offs of the order, and kept nowhere
    twice.
    """

    class Kind(models.TextChoices):
        """What there was to do."""

        REFUND = "refund", _("money goes back")
        BY_HAND = "by hand", _("to be paid out by hand")
        REFUNDED = "refunded", _("was given back before")
        FREE = "free", _("free")
        DISPUTED = "disputed", _("disputed")
        UNPAID = "unpaid", _("not paid")
        LATE = "late", _("paid afterwards, and goes back")

    # No constraints: whoever writes such rows by the thousand has just locked the orders and the one cancellation, and
    # none is deleted. To look each up again for each row would take a twentieth of the planning's time.
    order = models.OneToOneField(
        Order,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="cancelled_with",
        db_constraint=False,
        verbose_name=_("order"),
    )
    cancellation = models.ForeignKey(
        Cancellation,
        on_delete=models.PROTECT,
        related_name="orders",
        db_index=False,
        db_constraint=False,
        verbose_name=_("cancellation"),
    )
    kind = models.CharField(_("what there was to do"), max_length=10, choices=Kind.choices)
    # In the minor unit of the order's currency: what was planned to go back because the show was cancelled, earlier
    # attempts that had failed included.
    due = models.BigIntegerField(_("goes back"), default=0)
    # It had tickets when the show was cancelled, so that its fan is told. Without an address nobody can be.
    is_told = models.BooleanField(_("is told"), default=False)
    planned_at = models.DateTimeField(_("planned"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("order of a cancelled show")
        verbose_name_plural = _("orders of cancelled shows")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                name="cancelled_order_kind_is_known",
                condition=Q(kind__in=("refund", "by hand", "refunded", "free", "disputed", "unpaid", "late")),
            ),
            models.CheckConstraint(name="cancelled_order_due_is_not_negative", condition=Q(due__gte=0)),
        ]
        indexes = [
            # Also for the counts, which read nothing else.
            models.Index(
                fields=["cancellation", "order"], include=["kind", "due", "is_told"], name="cancelled_order_in_turn"
            )
        ]

    def __str__(self) -> str:
        return f"{self.order_id} ({self.kind})"


class WriteOff(models.Model):
    """Money of a payment that cannot be given back, given up by staff; one sum per payment. Who and why stands in the
    order's trail. Nothing of the payment can be refunded for it while it is there.
    """

    payment = models.OneToOneField(
        Payment, on_delete=models.PROTECT, primary_key=True, related_name="write_off", verbose_name=_("payment")
    )
    amount = models.BigIntegerField(_("amount"), help_text=_("In the currency's minor unit."))
    currency = models.CharField(_("currency"), max_length=3)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = pgettext_lazy("accounting", "write-off")
        verbose_name_plural = pgettext_lazy("accounting", "write-offs")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(name="write_off_amount_is_positive", condition=Q(amount__gt=0)),
            models.CheckConstraint(name="write_off_currency_is_a_code", condition=Q(currency__regex=r"^[A-Z]{3}$")),
        ]

    def __str__(self) -> str:
        return f"{self.payment_id}: {self.amount} {self.currency}"

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money(self.amount, self.currency)
