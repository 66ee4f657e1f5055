"""That the opening of a show's sale was announced."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from inventory.models.show import Show
from jobs.clock import DatabaseNow


class SaleOpening(models.Model):
    """Once per show and instant of its opening. Nothing that sells looks at it (I11).

    A row of its own and not a mark on the show: at that very instant all fans share a lock on the show's row, and
    whoever wrote to it would wait for them and make them wait.
    """

    show = models.ForeignKey(
        Show, on_delete=models.CASCADE, related_name="sale_openings", verbose_name=_("show"), db_index=False
    )
    on_sale_at = models.DateTimeField(_("on sale from"))
    announced_at = models.DateTimeField(_("announced"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("sale opening")
        verbose_name_plural = _("sale openings")
        constraints = [
            # Also the index of the show's openings.
            models.UniqueConstraint(fields=["show", "on_sale_at"], name="sale_opening_once"),
        ]

    def __str__(self) -> str:
        return f"{self.show_id}, {self.on_sale_at:%Y-%m-%d %H:%M}"
