"""The words that an order is found by. Written by the database alone, together with the order."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class OrderWord(models.Model):
    """One word of one order: of its name, of its address, how a name sounds (``~xmat``), or the whole address.

    Triggers on the orders' table keep them when an order is placed and when its name or address is corrected. They lie
    in a table of their own, so that confirming an order, which writes its row anew, writes no index for them.
    """

    pk = models.CompositePrimaryKey("word", "order_id")
    # By its bytes, so that the words with one beginning stand next to each other.
    word = models.TextField(_("word"), db_collation="C")
    # No foreign key: it would look the order up once for each word that is written with it.
    order_id = models.BigIntegerField(_("order"))

    class Meta:
        verbose_name = _("word of an order")
        verbose_name_plural = _("words of orders")

    def __str__(self) -> str:
        return f"{self.order_id}: {self.word}"
