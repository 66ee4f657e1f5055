"""A ticket for one seat, and the file that holds an order's tickets."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from inventory.models import Seat, Show
from jobs.clock import DatabaseNow
from tickets.codes import grouped


class VoidReason(models.TextChoices):
    """The reasons that the door tells apart. Staff may give any other, in their own words."""

    REFUNDED = "refunded", _("refunded")
    MOVED = "moved", _("moved to another seat")
    DISPUTED = "payment disputed", _("payment disputed")


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
        indexes = [
            models.Index(fields=["order_id"], name="ticket_by_order"),
            # Few at any time, among all that there ever were.
            models.Index(
                fields=["status", "created_at"], condition=Q(status__in=("pending", "failed")), name="ticket_not_made"
            ),
        ]
        permissions = [("scan_ticket", _("Can let people in at the door"))]

    def __str__(self) -> str:
        return self.printed_code

    @property
    def printed_code(self) -> str:
        """The code as people read it: ``K7QM-2XWD``."""
        return grouped(self.code)


class TicketDocument(models.Model):
    """The file with the valid tickets of one order. Its name is private: files are handed out by pages, never listed.

    ``ticket_ids`` are those in the file. Whether it may still be handed out is asked of the tickets themselves
    (``valid_document.py``): a ticket in it that became void makes it outdated at that moment, whoever hears of it.
    ``wanted`` grows when something else that is printed changes; a job then writes that ``edition``. Until it has, the
    file before it is good.
    """

    order_id = models.BigIntegerField(_("order"), unique=True)
    ticket_ids = ArrayField(models.BigIntegerField(), verbose_name=_("tickets"))
    storage_name = models.CharField(_("name in the storage"), max_length=200)
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    size = models.PositiveIntegerField(_("size"), help_text=_("In bytes."))
    edition = models.PositiveIntegerField(_("edition"), default=0, db_default=0)
    wanted = models.PositiveIntegerField(_("edition that is wanted"), default=0, db_default=0)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("ticket file")
        verbose_name_plural = _("ticket files")

    def __str__(self) -> str:
        return self.storage_name


class Scan(models.Model):
    """What the door did with a code: one row each time, written once and never changed.

    It commits together with the ticket's change where there is one. The show at the door and the person are plain
    ids: a row tells of a moment, whatever becomes of them.
    """

    class Result(models.TextChoices):
        ADMITTED = "admitted", _("admitted")
        BY_HAND = "by hand", _("admitted by hand")
        UNDONE = "undone", _("admission undone")
        AGAIN = "again", _("in already")
        VOID = "void", _("void")
        REFUNDED = "refunded", _("refunded")
        WRONG_SHOW = "wrong show", _("another show")
        FORGED = "forged", _("forged")
        UNKNOWN = "unknown", _("not known")
        PENDING = "pending", _("not issued yet")
        FAILED = "failed", _("could not be issued")
        POSTPONED = "postponed", _("show postponed")
        CANCELLED = "cancelled", _("show cancelled")

    ticket = models.ForeignKey(
        Ticket,
        on_delete=models.PROTECT,
        related_name="scans",
        verbose_name=_("ticket"),
        null=True,  # what is forged or not known names none
        blank=True,
        db_index=False,
    )
    show_id = models.BigIntegerField(_("show at the door"))
    door = models.CharField(_("door"), max_length=60)
    user_id = models.BigIntegerField(_("person’s id"))
    by = models.CharField(_("person"), max_length=150)
    result = models.CharField(_("result"), max_length=20, choices=Result.choices)
    proven = models.BooleanField(_("proven by its signature"))
    reason = models.CharField(_("reason"), max_length=200, blank=True, db_default="")
    # Drawn by the device for each code that it sends, so that it may ask again when the answer got lost.
    attempt = models.UUIDField(_("attempt"), null=True, blank=True)
    at = models.DateTimeField(_("when"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("scan")
        verbose_name_plural = _("scans")
        ordering = ["id"]
        indexes = [
            models.Index(fields=["ticket", "id"], name="scan_by_ticket", condition=Q(ticket__isnull=False)),
            models.Index(fields=["show_id", "door", "id"], name="scan_by_door"),
            # What a person has decided, for whoever reads who did what.
            models.Index(fields=["at", "id"], condition=Q(result__in=("by hand", "undone")), name="scan_with_a_reason"),
        ]
        constraints = [
            models.CheckConstraint(
                name="scan_by_hand_or_undone_has_a_reason",
                condition=~Q(result__in=("by hand", "undone")) | ~Q(reason=""),
            ),
        ]

    def __str__(self) -> str:
        return str(self.get_result_display())
