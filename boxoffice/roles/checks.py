"""What ``check --deploy`` says about logins."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import Tags, Warning, register


@register(Tags.security, deploy=True)
def staff_give_a_second_factor(app_configs: Any, **_options: Any) -> list[Warning]:
    """Asked by ``check --deploy`` alone."""
    if settings.STAFF_SECOND_FACTOR:
        return []
    return [
        Warning(
            "Whoever learns a password of staff is in: no second factor is asked for.",
            hint="Set STAFF_SECOND_FACTOR=true.",
            id="boxoffice.W001",
        )
    ]
