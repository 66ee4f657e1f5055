"""Staff read notifications in the admin and change nothing there; a suppressed address they let go, with a reason, and
browsers that listen they delete."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from notifications import transitions
from notifications.deliver import deliver
from notifications.models import Notification, PushSubscription, Suppression
from notifications.plan import plan_notification
from notifications.suppression.suppress_address import suppress_address
from tests.fixtures_notifications import TASK
from tests.fixtures_push import push_content
from tests.fixtures_staff import staff_with


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


@pytest.fixture
def listening_browser(db: None) -> PushSubscription:
    endpoint = "https://fcm.googleapis.com/fcm/send/a-secret"
    return PushSubscription.objects.create(
        subject="order:ABC", endpoint=endpoint, p256dh="public-half", auth="shared-secret", language="en"
    )


def test_staff_see_at_which_service_a_browser_listens_and_nothing_that_one_could_write_to_it_with(
    listening_browser: PushSubscription, admin_client: Client
) -> None:
    listing = reverse("admin:notifications_pushsubscription_changelist")
    page = reverse("admin:notifications_pushsubscription_change", args=[listening_browser.pk])
    delete = reverse("admin:notifications_pushsubscription_delete", args=[listening_browser.pk])
    chosen = {"action": "delete_selected", "_selected_action": listening_browser.pk}
    for answer in (
        admin_client.get(listing, {"q": "order:ABC"}),
        admin_client.get(page),
        admin_client.get(delete),
        admin_client.post(listing, chosen),
    ):
        shown = answer.content.decode()
        assert answer.status_code == 200
        assert "order:ABC" in shown
        assert not [secret for secret in ("a-secret", "public-half", "shared-secret") if secret in shown]
    assert "fcm.googleapis.com" in admin_client.get(page).content.decode()
    assert admin_client.post(page, {"subject": "order:DEF"}).status_code == 403
    guess = admin_client.get(listing, {"endpoint__startswith": "https://f"})
    assert guess.status_code == 400, "nor guessed letter by letter"


def test_a_browser_is_deleted_after_one_question_and_what_waited_for_it_is_suppressed(
    listening_browser: PushSubscription, admin_client: Client
) -> None:
    with transaction.atomic():
        waiting = plan_notification(
            kind="news",
            subject="order:ABC",
            channel=Notification.Channel.PUSH,
            recipient=listening_browser.recipient,
            language="en",
            task=TASK,
        )
    assert waiting is not None
    delete = reverse("admin:notifications_pushsubscription_delete", args=[listening_browser.pk])
    assert admin_client.get(delete).status_code == 200
    assert PushSubscription.objects.exists()
    assert admin_client.post(delete, {"post": "yes"}).status_code == 302
    assert not PushSubscription.objects.exists()
    deliver(notification_id=waiting.pk, content=push_content())
    waiting.refresh_from_db()
    assert waiting.status == "suppressed"


def test_who_may_only_look_at_browsers_deletes_none(listening_browser: PushSubscription, client: Client) -> None:
    reader = staff_with(client, "view_pushsubscription")
    page = reverse("admin:notifications_pushsubscription_change", args=[listening_browser.pk])
    assert reader.get(page).status_code == 200
    delete = reverse("admin:notifications_pushsubscription_delete", args=[listening_browser.pk])
    assert reader.post(delete, {"post": "yes"}).status_code == 403
