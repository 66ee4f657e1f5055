"""Staff read notifications in the admin and change nothing there."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from notifications.models import Notification


def test_staff_find_a_notification_by_what_it_is_about_and_cannot_change_it(
    queued_notification: Notification, admin_client: Client
) -> None:
    listing = admin_client.get(reverse("admin:notifications_notification_changelist"), {"q": "order:ABC"})
    assert "ada@example.org" in listing.content.decode()
    address = reverse("admin:notifications_notification_change", args=[queued_notification.pk])
    assert admin_client.get(address).status_code == 200
    assert admin_client.post(address, {"status": "sent"}).status_code == 403
    assert admin_client.get(reverse("admin:notifications_notification_add")).status_code == 403
