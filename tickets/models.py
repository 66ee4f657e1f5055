"""A ticket for one seat, and the file that holds an order's tickets."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from inventory.models import Seat, Show
from jobs.clock import DatabaseNow
from tickets.codes import grouped


class Ticket(models.Model):
    """`pending → issued ⇄ used`, `failed` (→ `pending` by replay), `void` with a reason.

    Created pending in the transaction that confirms its order, so that the fan's page can always tell the truth.
    Changed through `tickets.transitions` only. The order is a plain id: orders live in a higher layer.
    """

    class Status(models.TextChoices):
        PENDING = "pending", _("being issued")
        ISSUED = "issued", _("issued")
        USED = "used", _("used")
        FAILED = "failed", _("failed")
        VOID = "void", _("void")

    order_id = models.BigIntegerField(_("order"))
    order_code = models.CharField(_("order code"), max_length=40)
    show = models.ForeignKey(Show, on_delete=models.PROTECT, related_name="tickets", verbose_name=_("show"))
    seat = models.ForeignKey(
        Seat, on_delete=models.PROTECT, related_name="tickets", verbose_name=_("seat"), db_index=False
    )
    code = models.CharField(_("code"), max_length=8, unique=True)
    holder_name = models.CharField(_("name"), max_length=200)
    language = models.CharField(_("language"), max_length=16)
    status = models.CharField(_("status"), max_length=20, choices=Status.choices, db_default=Status.PENDING)
    void_reason = models.CharField(_("reason why it is void"), max_length=200, blank=True, db_default="")
    issued_at = models.DateTimeField(_("issued"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("ticket")
        verbose_name_plural = _("tickets")
        constraints = [
            # The last word against a seat sold twice; also the index of a seat's live ticket.
            models.UniqueConstraint(
                fields=["seat"], condition=~Q(status="void"), name="ticket_once_per_seat_unless_void"
            ),
            models.CheckConstraint(
                name="ticket_status_is_known",
                condition=Q(status__in=("pending", "issued", "used", "failed", "void")),
            ),
            models.CheckConstraint(
                name="ticket_void_has_a_reason",
                condition=Q(status="void") & ~Q(void_reason="") | ~Q(status="void") & Q(void_reason=""),
            ),
            models.CheckConstraint(
                name="ticket_issued_has_its_instant",
                condition=~Q(status__in=("issued", "used")) | Q(issued_at__isnull=False),
            ),
        ]
        indexes = [models.Index(fields=["order_id"], name="ticket_by_order")]

    def __str__(self) -> str:
        return self.printed_code

    @property
    def printed_code(self) -> str:
        """The code as people read it: ``K7QM-2XWD``."""
        return grouped(self.code)


class TicketDocument(models.Model):
    """The file with all tickets of one order. Its name is private: files are handed out by pages, never listed."""

    order_id = models.BigIntegerField(_("order"), unique=True)
    storage_name = models.CharField(_("name in the storage"), max_length=200)
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    size = models.PositiveIntegerField(_("size"), help_text=_("In bytes."))
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("ticket file")
        verbose_name_plural = _("ticket files")

    def __str__(self) -> str:
        return self.storage_name
