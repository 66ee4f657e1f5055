"""Setting the second factor up: a key that the telephone and we share, proven by its first code."""

from __future__ import annotations

from base64 import b32encode
from typing import Any

import segno
from django.contrib.auth import get_user_model
from django.db import transaction
from django_otp.plugins.otp_totp.models import TOTPDevice

from boxoffice.models import AccessAction
from boxoffice.roles.second_factor.recovery_codes import draw_recovery_codes

NAME = "telephone"


def device_to_set_up(*, user: Any) -> TOTPDevice:
    """The device that waits for its first code; the same one however often the page is loaded."""
    with transaction.atomic():
        get_user_model().objects.select_for_update().get(pk=user.pk)  # two tabs at once get one key
        waiting = TOTPDevice.objects.filter(user=user, confirmed=False).order_by("pk").first()
        return waiting or TOTPDevice.objects.create(user=user, name=NAME, confirmed=False)


def has_second_factor(*, user: Any) -> bool:
    """Whether the login has set one up."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def set_up(*, user: Any, code: str) -> tuple[TOTPDevice, list[str]] | None:
    """Take the device into use if the code is its; return it with new recovery codes, or None.

    Opens a transaction. The login's row is locked, so that of two at once one sets up and the other finds it done.
    """
    with transaction.atomic():
        get_user_model().objects.select_for_update().get(pk=user.pk)
        device = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=False).order_by("pk").first()
        if device is None or has_second_factor(user=user) or not device.verify_token(code):
            return None
        TOTPDevice.objects.filter(pk=device.pk, confirmed=False).update(confirmed=True)
        device.confirmed = True
        codes = draw_recovery_codes(user=user)
        name = user.get_username()
        AccessAction.objects.create(action=AccessAction.Action.SET_UP, login=name, by=name)
    return device, codes


def qr_picture(device: TOTPDevice) -> str:
    """The device's key as a QR code: an SVG in a data address. Drawn here, and told to nobody."""
    return segno.make(device.config_url, error="m").svg_data_uri(border=4, dark="#000", light="#fff")


def readable_key(device: TOTPDevice) -> str:
    """The same key for who types it: base32 in groups of four."""
    key = b32encode(device.bin_key).decode("ascii").rstrip("=")
    return " ".join(key[start : start + 4] for start in range(0, len(key), 4))
