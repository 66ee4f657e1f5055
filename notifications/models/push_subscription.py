"""A browser that wants to be told about something."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow

LONGEST_ENDPOINT = 1024
"""Characters. The longest that is known, of Windows, has about 600; a row of the index has room for 2,700 bytes."""


class PushSubscription(models.Model):
    """One browser's address at its push service and the keys that only it can read with, for one subject.

    A browser that wants to hear of two subjects has two rows. Whoever has the endpoint and the keys can write to the
    browser: they are shown to nobody. The row goes when the push service says that the browser has ended it.
    """

    subject = models.CharField(_("about"), max_length=200, help_text=_("Such as order:ABC."))
    endpoint = models.CharField(_("address at the push service"), max_length=LONGEST_ENDPOINT, editable=False)
    # As browsers write them, in base64 for URLs without padding: a point of the curve P-256, and 16 random bytes.
    p256dh = models.CharField(_("public key"), max_length=87, editable=False)
    auth = models.CharField(_("secret"), max_length=22, editable=False)
    language = models.CharField(_("language"), max_length=16)
    # Why the last message did not arrive; empty again when one does.
    last_error = models.CharField(_("last error"), max_length=500, blank=True, db_default="")
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("push subscription")
        verbose_name_plural = _("push subscriptions")
        constraints = [
            # Begins with the subject, so that it is the index of who wants to hear of it, too.
            models.UniqueConstraint(fields=["subject", "endpoint"], name="push_subscription_once"),
            models.CheckConstraint(
                name="push_subscription_endpoint_is_an_address", condition=Q(endpoint__regex="^https?://[^/]")
            ),
        ]
        # A browser that is gone is gone for every subject.
        indexes = [models.Index(fields=["endpoint"], name="push_subscription_endpoint")]

    def __str__(self) -> str:
        return f"{self.recipient}, {self.subject}"

    @property
    def recipient(self) -> str:
        """What a notification to it names as its recipient."""
        return f"{RECIPIENT}{self.pk}"


RECIPIENT = "push:"


def subscription_id_of(*, recipient: str) -> int | None:
    """The id in ``push:<id>``; None for what is none."""
    kind, colon, number = recipient.partition(":")
    return int(number) if f"{kind}{colon}" == RECIPIENT and number.isascii() and number.isdigit() else None
