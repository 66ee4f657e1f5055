"""Whose show it is: which logins see how a show sells, beside those who see every show."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from inventory.models import Show
from jobs.clock import DatabaseNow


class Promotion(models.Model):
    """This login is of a promoter of this show. There may be several for a show, and none."""

    show = models.ForeignKey(
        Show, on_delete=models.CASCADE, related_name="promotions", verbose_name=_("show"), db_index=False
    )
    promoter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="promotions", verbose_name=_("promoter")
    )
    since = models.DateTimeField(_("since"), db_default=DatabaseNow(), editable=False)

    class Meta:
        verbose_name = _("promoter's show")
        verbose_name_plural = _("promoters' shows")
        default_permissions = ("view", "add", "delete")
        constraints = [
            # Also the index of the show's promoters.
            models.UniqueConstraint(
                fields=["show", "promoter"],
                name="promotion_once",
                violation_error_message=_("This show is this promoter's already."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.promoter} – {self.show}"
