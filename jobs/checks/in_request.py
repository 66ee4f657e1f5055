"""The slow way is there to compare with, and no way to sell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register


@register(Tags.compatibility, deploy=True)
def check_requests_run_no_jobs(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Asked by ``check --deploy`` alone."""
    if not settings.LEDGER_RUNS_IN_REQUEST:
        return []
    return [
        Warning(
            "Whoever confirms an order waits until tickets and mail are out, and for a slow mail provider.",
            hint="Unset NOTIFY_MODE; sync is for comparison only.",
            id="jobs.W002",
        )
    ]
