"""What staff write down about an order, for each other."""

from __future__ import annotations

from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from boxoffice.models.order import Order
from jobs.clock import DatabaseNow

MAX_NOTE = 2_000
"""Characters: what was said on the telephone, not a file."""


class OrderNote(models.Model):
    """One note: never shown to fans, never changed, never taken away. Who was wrong writes another one."""

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="notes", verbose_name=_("order"))
    text = models.CharField(_("note"), max_length=MAX_NOTE)
    by = models.CharField(_("by"), max_length=150)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())
    # Drawn by the page that asks: the form sent twice is one note.
    attempt = models.UUIDField(_("attempt"), default=uuid4, editable=False)

    class Meta:
        verbose_name = _("note on an order")
        verbose_name_plural = _("notes on orders")
        constraints = [
            models.UniqueConstraint(fields=["attempt"], name="order_note_once_per_attempt"),
            models.CheckConstraint(name="order_note_says_who_and_what", condition=~Q(by="") & ~Q(text="")),
        ]

    def __str__(self) -> str:
        return f"{self.order_id}/{self.pk}"
