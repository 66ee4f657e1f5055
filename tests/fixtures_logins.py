"""Logins of those who work at the desk, and the telephones that make codes for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

LOGIN_PASSWORD = "a long pass phrase"


class Telephone:
    """Makes the codes of a device. Each is good once, so that it shows the next one each time; two in all."""

    def __init__(self, device: TOTPDevice) -> None:
        self.device, self.ahead = device, -1

    def code(self) -> str:
        totp = TOTP(self.device.bin_key, step=self.device.step)
        totp.time = time.time()
        self.ahead += 1
        assert self.ahead <= 1, "A device takes codes of one step before and after now."
        totp.drift = self.ahead
        return f"{totp.token():06d}"


@pytest.fixture
def desk_login(db: None) -> Callable[..., Any]:
    """Makes a login of the desk with this role."""

    def make(name: str = "anna", *, role: str = "Support") -> Any:
        user = get_user_model().objects.create_user(name, password=LOGIN_PASSWORD, is_staff=True)
        user.groups.add(Group.objects.get(name=role))
        return user

    return make


@pytest.fixture
def telephone() -> Callable[..., Telephone]:
    """The telephone of a login, set up."""

    def make(user: Any) -> Telephone:
        return Telephone(TOTPDevice.objects.create(user=user, name="telephone", confirmed=True))

    return make


def give_password(
    client: Client, name: str = "anna", *, password: str = LOGIN_PASSWORD, at: str = "admin:login", **more: Any
) -> Any:
    """Send the form of the login; the answer as it comes, without following it."""
    return client.post(reverse(at), {"username": name, "password": password, "next": "", **more})
