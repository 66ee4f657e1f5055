"""A message that one recipient is told once."""

from __future__ import annotations

from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


class Notification(models.Model):
    """`queued → sent | failed | suppressed`, then `delivered | bounced | complained`.

    It says who is told, about what and on which occasion, and holds no content: that is rendered when it is sent.
    Changed through `notifications.transitions` only.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        SENT = "sent", _("sent")
        FAILED = "failed", _("failed")
        SUPPRESSED = "suppressed", _("suppressed")
        DELIVERED = "delivered", _("delivered")
        BOUNCED = "bounced", _("bounced")
        COMPLAINED = "complained", _("complained of")

    class Channel(models.TextChoices):
        EMAIL = "email", _("e-mail")
        PUSH = "push", _("push message")

    kind = models.CharField(_("kind"), max_length=64)
    subject = models.CharField(_("about"), max_length=200, help_text=_("Such as order:ABC."))
    channel = models.CharField(_("channel"), max_length=16, choices=Channel.choices, db_default=Channel.EMAIL)
    # An address, or what the channel knows its recipients by: ``push:<subscription id>``. Once the address is erased, a
    # fingerprint (``notifications.erased_recipient``).
    recipient = models.CharField(_("recipient"), max_length=320)
    # Tells apart what is rightly told again: the version of a show, the number of a resend.
    occurrence = models.CharField(_("occurrence"), max_length=64, blank=True)
    language = models.CharField(_("language"), max_length=16)
    status = models.CharField(_("status"), max_length=20, choices=Status.choices, db_default=Status.QUEUED)
    # Both are stored before a provider hears of the message and are the same in each attempt (I4).
    idempotency_key = models.UUIDField(_("idempotency key"), default=uuid4, unique=True, editable=False)
    message_id = models.CharField(_("message id"), max_length=320, unique=True, editable=False)
    # What the ESP calls the message, once it took it; empty by SMTP.
    provider_id = models.CharField(_("id at the ESP"), max_length=120, blank=True, db_default="")
    attempts = models.PositiveIntegerField(_("attempts"), db_default=0)
    last_error = models.CharField(_("last error"), max_length=500, blank=True, db_default="")
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    sent_at = models.DateTimeField(_("sent"), null=True, blank=True)

    class Meta:
        verbose_name = _("notification")
        verbose_name_plural = _("notifications")
        indexes = [
            # For an event of the ESP that does not name our key.
            models.Index(fields=["provider_id"], condition=~Q(provider_id=""), name="notification_by_provider_id"),
            # What did not arrive.
            models.Index(
                fields=["subject", "id"],
                condition=Q(channel="email", status__in=("failed", "bounced", "complained")),
                name="notification_not_arrived",
            ),
            # News that its reader must have, and that was not sent: few, though much else is suppressed.
            models.Index(
                fields=["subject", "id"],
                condition=Q(channel="email", kind="show_cancelled", status="suppressed"),
                name="notification_news_not_sent",
            ),
            # For erasing addresses: what has none any more is not in it.
            models.Index(
                fields=["kind", "id"],
                condition=Q(channel="email") & ~Q(recipient__startswith="erased:"),
                name="notification_with_address",
            ),
        ]
        constraints = [
            # Everyone is told once. Begins with the subject, so that it is the index of what was said about it, too.
            models.UniqueConstraint(fields=["subject", "kind", "recipient", "occurrence"], name="notification_once"),
            models.CheckConstraint(
                name="notification_status_is_known",
                condition=Q(
                    status__in=(
                        "queued",
                        "sent",
                        "failed",
                        "suppressed",
                        "delivered",
                        "bounced",
                        "complained",
                    )
                ),
            ),
            models.CheckConstraint(
                name="notification_sent_has_its_instant",
                condition=~Q(status__in=("sent", "delivered")) | Q(sent_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} ({self.get_status_display()})"
