"""Codes on paper, each good for one login, for when the telephone is not at hand."""

from __future__ import annotations

import base64
import secrets
from typing import Any

from django.db import transaction
from django.utils.crypto import salted_hmac
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken

HOW_MANY = 10
NAME = "recovery codes"

_BYTES = 10
_SIGNS = 16  # letters and figures that the column has room for, and as many as 10 bytes make in base32


def draw_recovery_codes(*, user: Any) -> list[str]:
    """Make new ones and forget those before; return them as they are shown, once: nobody can read them afterwards."""
    drawn = [base64.b32encode(secrets.token_bytes(_BYTES)).decode("ascii").lower() for _ in range(HOW_MANY)]
    with transaction.atomic():
        StaticDevice.objects.filter(user=user).delete()
        device = StaticDevice.objects.create(user=user, name=NAME)
        StaticToken.objects.bulk_create([StaticToken(device=device, token=kept_form(code)) for code in drawn])
    return [grouped(code) for code in drawn]


def codes_left(*, user: Any) -> int:
    """How many of them have not been used."""
    return StaticToken.objects.filter(device__user=user, device__confirmed=True).count()


def kept_form(code: str) -> str:
    """What the database keeps of a code, however it was typed: who reads the table cannot log in by it."""
    typed = "".join(sign for sign in code.lower() if sign.isalnum())
    return base64.b32encode(salted_hmac("recovery code", typed, algorithm="sha256").digest()).decode("ascii")[:_SIGNS]


def grouped(code: str) -> str:
    """As people read it: ``abcd-efgh-…``."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))
