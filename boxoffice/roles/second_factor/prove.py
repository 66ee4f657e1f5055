"""Checking the code that somebody gives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_otp import verify_token
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from boxoffice.models import AccessAction
from boxoffice.roles.second_factor.recovery_codes import kept_form

DIGITS = 6


@dataclass(frozen=True)
class Proof:
    """device: what proved it; None with the sentence that says why not."""

    device: Device | None
    refusal: str = ""


def prove(*, user: Any, typed: str) -> Proof:
    """Check a code of the telephone, or a recovery code, which is then used up and noted in the trail of logins.

    A code is good once. After each wrong one the next try has to wait twice as long, from a second on.
    """
    code = "".join(typed.split()).replace("-", "")
    is_of_telephone = len(code) == DIGITS and code.isascii() and code.isdigit()
    model: type[Device] = TOTPDevice if is_of_telephone else StaticDevice
    device = model.objects.filter(user=user, confirmed=True).first()
    if device is None:
        return Proof(None, _wrong())
    allowed, why = device.verify_is_allowed()
    if not allowed:
        return Proof(None, _wait(why["locked_until"]))
    if verify_token(user, device.persistent_id, code if is_of_telephone else kept_form(code)) is None:
        return Proof(None, _wrong())
    if not is_of_telephone:
        name = user.get_username()
        AccessAction.objects.create(action=AccessAction.Action.CODE_USED, login=name, by=name)
    return Proof(device)


def _wrong() -> str:
    return _("This code does not fit. Enter the one that your telephone shows now; each is good once.")


def _wait(until: datetime) -> str:
    # django-otp counts by this process's clock, and so does the telephone.
    seconds = max(1, ceil((until - timezone.now()).total_seconds()))
    return ngettext(
        "Too many wrong codes. Try again in %(n)d second, or ask an operator.",
        "Too many wrong codes. Try again in %(n)d seconds, or ask an operator.",
        seconds,
    ) % {"n": seconds}
