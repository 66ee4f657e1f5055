"""Letting somebody try again before his time is over."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from boxoffice.models import AccessAction
from boxoffice.roles.errors import NotLocked
from jobs.audit import require_reason

# From all addresses. By the index on username.
LIFT = "DELETE FROM axes_accessattempt WHERE username = %(username)s"


def lift_lockout(*, user_id: int, by: Any, reason: str) -> None:
    """Forget the login's failures, of passwords and of codes.

    by: the user who does it. Raises NotLocked when there are none (somebody was quicker), and ReasonMissing.
    Opens a transaction.
    """
    name = by.get_username()
    require_reason(by=name, reason=reason)
    with transaction.atomic():
        user = get_user_model().objects.select_for_update().get(pk=user_id)
        with connection.cursor() as cursor:
            cursor.execute(LIFT, {"username": user.get_username()})
            forgotten = cursor.rowcount
        for model in (TOTPDevice, StaticDevice):
            waiting = model.objects.filter(user=user, throttling_failure_count__gt=0)
            forgotten += waiting.update(throttling_failure_count=0, throttling_failure_timestamp=None)
        if not forgotten:
            raise NotLocked
        AccessAction.objects.create(
            action=AccessAction.Action.LIFT, login=user.get_username(), by=name, reason=reason.strip()[:300]
        )
