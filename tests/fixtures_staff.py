"""Browsers of people who work here."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client


@pytest.fixture
def staff(client: Client) -> Client:
    """A browser of somebody who may do everything."""
    client.force_login(get_user_model().objects.create_superuser("operator", password="a long pass phrase"))
    return client


def staff_with(client: Client, *permissions: str) -> Client:
    """The same browser, of somebody who may do this and no more."""
    user = get_user_model().objects.create_user("support", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(user)
    return client
