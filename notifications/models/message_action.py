"""What staff did by hand about the messages on a subject."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


class MessageAction(models.Model):
    """Who sent a message again or corrected an address, when, and why. Rows are only ever added, with the change."""

    class Action(models.TextChoices):
        RESEND = "resend", _("sent again")
        ADDRESS = "address", _("address corrected")

    subject = models.CharField(_("about"), max_length=200, help_text=_("Such as order:ABC."))
    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    # Which message, and as the how manyth; empty for an address.
    kind = models.CharField(_("kind"), max_length=64, blank=True)
    occurrence = models.CharField(_("occurrence"), max_length=64, blank=True)
    # Where messages go from then on, and where they went before, if that changed.
    recipient = models.CharField(_("recipient"), max_length=320)
    earlier_recipient = models.CharField(_("earlier recipient"), max_length=320, blank=True)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=300)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("message action")
        verbose_name_plural = _("message actions")
        indexes = [models.Index(fields=["subject"], name="message_action_by_subject")]
        constraints = [
            # Whoever presses twice sends once.
            models.UniqueConstraint(
                fields=["subject", "kind", "occurrence"],
                condition=Q(action="resend"),
                name="message_resent_once_per_number",
            ),
            models.CheckConstraint(name="message_action_is_known", condition=Q(action__in=("resend", "address"))),
            models.CheckConstraint(name="message_action_says_who_and_why", condition=~Q(by="") & ~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"
