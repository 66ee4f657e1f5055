"""An order's pages at the desk as a browser reads and sends them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

from boxoffice.models import Order

REASON = {"reason": "the fan rang"}


def page_of(order: Order, name: str = "change") -> str:
    return f"/admin/boxoffice/order/{order.pk}/{name}/"


def seen(client: Client, address: str, **query: Any) -> str:
    answer = client.get(address, query, follow=True)
    assert answer.status_code == 200, answer
    return answer.content.decode()


def sent(client: Client, address: str, **form: Any) -> str:
    answer = client.post(address, form, follow=True)
    assert answer.status_code == 200, answer
    return answer.content.decode()


def now_with(*permissions: str) -> None:
    """Let the login of ``staff_with`` have these permissions instead."""
    support = get_user_model().objects.get(username="support")
    support.user_permissions.set(Permission.objects.filter(codename__in=permissions))
