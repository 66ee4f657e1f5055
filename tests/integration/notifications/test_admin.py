"""Staff read notifications in the admin and change nothing there; a suppressed address they let go, with a reason."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from notifications import transitions
from notifications.models import Notification, Suppression
from notifications.suppression.suppress_address import suppress_address


@pytest.fixture
def suppressed_ada(db: None) -> Suppression:
    suppress_address(address="ada@example.org", reason="bounced", detail="no such user", notification_id=1)
    return Suppression.objects.get()


def lift_url(suppression: Suppression) -> str:
    return reverse("admin:notifications_suppression_lift", args=[suppression.pk])


def test_staff_find_a_notification_by_what_it_is_about_and_cannot_change_it(
    queued_notification: Notification, admin_client: Client
) -> None:
    listing = admin_client.get(reverse("admin:notifications_notification_changelist"), {"q": "order:ABC"})
    assert "ada@example.org" in listing.content.decode()
    address = reverse("admin:notifications_notification_change", args=[queued_notification.pk])
    assert admin_client.get(address).status_code == 200
    assert admin_client.post(address, {"status": "sent"}).status_code == 403
    assert admin_client.get(reverse("admin:notifications_notification_add")).status_code == 403


def test_staff_see_why_a_notification_failed_in_their_language_and_narrow_the_list(
    queued_notification: Notification, admin_client: Client
) -> None:
    why = "an earlier mail to this address came back for good"
    transitions.mark_suppressed(notification_id=queued_notification.pk, reason=why)
    listing = reverse("admin:notifications_notification_changelist")
    narrow = {"status__exact": "suppressed", "kind": "news", "channel__exact": "email"}
    assert why in admin_client.get(listing, narrow).content.decode()
    german = admin_client.get(listing, narrow, headers={"Accept-Language": "de"}).content.decode()
    assert "eine frühere Mail an diese Adresse kam endgültig zurück" in german
    assert "ada@example.org" not in admin_client.get(listing, {"channel__exact": "push"}).content.decode()


def test_a_suppression_is_lifted_with_a_reason_that_stays_with_the_name(
    suppressed_ada: Suppression, admin_client: Client
) -> None:
    page = reverse("admin:notifications_suppression_change", args=[suppressed_ada.pk])
    assert lift_url(suppressed_ada) in admin_client.get(page).content.decode()
    assert admin_client.get(lift_url(suppressed_ada)).status_code == 200
    assert admin_client.post(lift_url(suppressed_ada), {"reason": ""}).status_code == 200
    suppressed_ada.refresh_from_db()
    assert suppressed_ada.lifted_at is None
    done = admin_client.post(lift_url(suppressed_ada), {"reason": "called, works again"}, follow=True)
    assert "ada@example.org" in done.content.decode()
    suppressed_ada.refresh_from_db()
    assert (suppressed_ada.lifted_by, suppressed_ada.lifted_reason) == ("admin", "called, works again")
    again = admin_client.post(lift_url(suppressed_ada), {"reason": "twice"}, follow=True)
    assert "nothing was changed" in again.content.decode()
    assert lift_url(suppressed_ada) not in admin_client.get(page).content.decode()


def test_nobody_lifts_a_suppression_without_the_permission(suppressed_ada: Suppression, client: Client) -> None:
    reader = User.objects.create_user("reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_suppression"))
    client.force_login(reader)
    page = reverse("admin:notifications_suppression_change", args=[suppressed_ada.pk])
    assert lift_url(suppressed_ada) not in client.get(page).content.decode()
    assert client.post(lift_url(suppressed_ada), {"reason": "why"}).status_code == 403
