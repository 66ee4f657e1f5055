"""The way back in for who has lost the telephone and the recovery codes: an operator takes the second factor away."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django_otp import devices_for_user

from boxoffice.models import AccessAction
from boxoffice.roles.errors import NoSecondFactor, NotYourOwn, SuperusersOnly
from jobs.audit import require_reason, signed


def reset_second_factor(*, user_id: int, by: Any, reason: str) -> None:
    """Forget the login's devices and recovery codes, so that it sets up others after its next password.

    by: the user who does it. Sessions that were let in by a forgotten device are let in no more.
    Raises NotYourOwn, SuperusersOnly, NoSecondFactor when there is none (somebody was quicker), and ReasonMissing.
    Opens a transaction; the login's row is locked.
    """
    name = by.get_username()
    with transaction.atomic():
        user = get_user_model().objects.select_for_update().get(pk=user_id)
        if user.pk == by.pk:
            raise NotYourOwn
        if user.is_superuser and not by.is_superuser:
            raise SuperusersOnly
        forget_second_factor(user=user, by=name, reason=reason)


def forget_second_factor(*, user: Any, by: str, reason: str) -> None:
    """The same for whoever has a shell on the machine, and so may do everything. Raises NoSecondFactor, ReasonMissing.

    Opens a transaction, or joins the caller's.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        devices = list(devices_for_user(user, confirmed=None, for_verify=True))
        if not devices:
            raise NoSecondFactor
        for device in devices:
            device.delete()
        AccessAction.objects.create(
            action=AccessAction.Action.RESET,
            login=user.get_username(),
            **signed(by=by, reason=reason),
        )
