"""Settings with which it would not be known what became of a mail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register


@register(Tags.compatibility, deploy=True)
def check_feedback_is_signed(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Asked by ``check --deploy`` alone."""
    if settings.MAIL_PROVIDER == "smtp" or settings.MAIL_WEBHOOK_SECRET:
        return []
    return [
        Error(
            "Nobody learns which mails bounced: events of the mail provider are refused without a secret.",
            hint="Set MAIL_WEBHOOK_SECRET to the signing secret of the endpoint PUBLIC_URL/webhooks/mail/.",
            id="notifications.E001",
        )
    ]
