"""Who may do what only one process should do at a time."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Lease(models.Model):
    """A name that one owner holds for a while. Rows stay for ever, so that the token of a name only grows.

    Written by ``jobs/lease.py`` alone.
    """

    name = models.TextField(primary_key=True)
    owner = models.TextField(help_text=_("Host and process that took it last; for people to read."))
    token = models.BigIntegerField(help_text=_("Fencing token; grows with each taking."))
    until = models.DateTimeField(help_text=_("Held until then, if it is not renewed."))
    taken_at = models.DateTimeField()
    renewed_at = models.DateTimeField()

    class Meta:
        verbose_name = _("lease")
        verbose_name_plural = _("leases")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.name
