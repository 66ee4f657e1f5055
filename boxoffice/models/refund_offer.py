"""Until when fans may have their money back by themselves, because their show was postponed or moved."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from inventory.models import Show
from jobs.clock import DatabaseNow


class RefundOffer(models.Model):
    """One for a show at most. Changed through ``boxoffice.shows.offer_refunds`` only; who did it stands in the trail of
    the show.
    """

    show = models.OneToOneField(
        Show, on_delete=models.CASCADE, primary_key=True, related_name="refund_offer", verbose_name=_("show")
    )
    # Both are compared with the database's clock. Who placed his order after the show was changed knew its new time.
    until = models.DateTimeField(_("money back until"))
    placed_until = models.DateTimeField(_("for orders placed until"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("offer of money back")
        verbose_name_plural = _("offers of money back")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.show_id} until {self.until}"
