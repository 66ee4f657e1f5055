"""Setting the second factor up: a key that the telephone and we share, proven by its first code."""

from __future__ import annotations

from base64 import b32encode
from datetime import timedelta
from typing import Any

import segno
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac
from django_otp.plugins.otp_totp.models import TOTPDevice

from boxoffice.models import AccessAction
from boxoffice.roles.second_factor.recovery_codes import draw_recovery_codes
from jobs.clock import database_now

NAME = "telephone"

FORGOTTEN = timedelta(days=1)
"""A device that has waited so long for its first code: its session cannot set it up any more."""


def device_to_set_up(*, user: Any, session_key: str) -> TOTPDevice:
    """The device that waits for its first code: the same one however often this session loads the page, in two tabs.

    Each session has its own. Whoever knows the password alone can load the page before the right person does, and must
    not keep a copy of the key that this one then takes into use.
    """
    with transaction.atomic():
        _lock(user)
        own = _waiting(user).filter(name=_mark(session_key)).first()
        if own is not None:
            return own
        _waiting(user).filter(created_at__lt=database_now() - FORGOTTEN).delete()
        return TOTPDevice.objects.create(user=user, name=_mark(session_key), confirmed=False)


def has_second_factor(*, user: Any) -> bool:
    """Whether the login has set one up."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def set_up(*, user: Any, code: str, session_key: str) -> tuple[TOTPDevice, list[str]] | None:
    """Take the session's device into use if the code is its; return it with new recovery codes, or None.

    Opens a transaction. The login's row is locked, so that of two at once one sets up and the other finds it done.
    """
    with transaction.atomic():
        _lock(user)
        device = _waiting(user).select_for_update().filter(name=_mark(session_key)).first()
        if device is None or has_second_factor(user=user) or not device.verify_token(code):
            return None
        TOTPDevice.objects.filter(pk=device.pk, confirmed=False).update(confirmed=True, name=NAME)
        device.confirmed, device.name = True, NAME
        _waiting(user).delete()
        codes = draw_recovery_codes(user=user)
        name = user.get_username()
        AccessAction.objects.create(action=AccessAction.Action.SET_UP, login=name, by=name)
    return device, codes


def _lock(user: Any) -> None:
    get_user_model().objects.select_for_update().get(pk=user.pk)


def _waiting(user: Any) -> QuerySet[TOTPDevice]:
    return TOTPDevice.objects.filter(user=user, confirmed=False).order_by("pk")


def _mark(session_key: str) -> str:
    """What a waiting device is called by until it is in use; the key of a session cannot be read from it."""
    return salted_hmac("second factor", session_key, algorithm="sha256").hexdigest()[:32]


def qr_picture(device: TOTPDevice) -> str:
    """The device's key as a QR code: an SVG in a data address. Drawn here, and told to nobody."""
    return segno.make(device.config_url, error="m").svg_data_uri(border=4, dark="#000", light="#fff")


def readable_key(device: TOTPDevice) -> str:
    """The same key for who types it: base32 in groups of four."""
    key = b32encode(device.bin_key).decode("ascii").rstrip("=")
    return " ".join(key[start : start + 4] for start in range(0, len(key), 4))
