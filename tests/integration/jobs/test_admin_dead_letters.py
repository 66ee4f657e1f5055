"""Dead letters in the admin: the open ones, put aside with a reason, and not lost."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from jobs.dead.letters import keep_dead_letter
from jobs.models import DeadLetter

pytestmark = pytest.mark.django_db

LIST = "admin:jobs_deadletter_changelist"


@pytest.fixture
def letters(db: None) -> list[DeadLetter]:
    """Two messages that nobody knows."""
    for body in (b"[1]", b"[2]"):
        keep_dead_letter(queue="probe", reason="malformed", headers={"id": "x"}, body=body)
    return list(DeadLetter.objects.order_by("pk"))


def listed(client: Client, **query: str) -> list[int]:
    return sorted(each.pk for each in client.get(reverse(LIST), query).context["cl"].result_list)


def discard(client: Client, *letters: DeadLetter, reason: str = "a stranger's script") -> str:
    data = {"letters": ",".join(str(letter.pk) for letter in letters), "reason": reason}
    return client.post(reverse("admin:jobs_deadletter_discard"), data, follow=True).content.decode()


def test_a_discarded_letter_leaves_the_list_and_keeps_its_row_with_who_and_why(
    staff: Client, letters: list[DeadLetter]
) -> None:
    first, second = letters
    assert listed(staff) == [first.pk, second.pk]

    assert "1 dead letter was discarded." in discard(staff, first)

    first.refresh_from_db()
    assert (first.discarded_by, first.discarded_reason) == ("operator", "a stranger's script")
    assert first.discarded_at is not None
    assert listed(staff) == [second.pk]
    assert listed(staff, discarded="yes") == [first.pk]
    assert listed(staff, discarded="all") == [first.pk, second.pk]


def test_a_second_press_changes_nothing(staff: Client, letters: list[DeadLetter]) -> None:
    discard(staff, letters[0])
    assert "None of these dead letters is open any more" in discard(staff, letters[0], reason="another reason")
    assert DeadLetter.objects.get(pk=letters[0].pk).discarded_reason == "a stranger's script"


def test_without_a_reason_the_page_asks_again(staff: Client, letters: list[DeadLetter]) -> None:
    assert "errorlist" in discard(staff, *letters, reason=" ")
    assert DeadLetter.objects.filter(discarded_at=None).count() == 2


def test_the_same_message_again_is_counted_and_does_not_come_back(staff: Client, letters: list[DeadLetter]) -> None:
    discard(staff, *letters)
    keep_dead_letter(queue="probe", reason="malformed", headers={"id": "x"}, body=b"[1]")
    assert DeadLetter.objects.get(pk=letters[0].pk).times_seen == 2
    assert "No dead letters." in staff.get(reverse(LIST)).content.decode()


def test_the_action_asks_first(staff: Client, letters: list[DeadLetter]) -> None:
    data = {"action": "discard_selected", "_selected_action": [letter.pk for letter in letters]}
    asked = staff.post(reverse(LIST), data).content.decode()
    assert "Discard 2 dead letters?" in asked
    assert DeadLetter.objects.filter(discarded_at=None).count() == 2


def test_who_may_only_look_cannot_discard(client: Client, letters: list[DeadLetter]) -> None:
    user = get_user_model().objects.create_user("support", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_deadletter"))
    client.force_login(user)
    assert listed(client) == [letter.pk for letter in letters]
    page = client.get(reverse("admin:jobs_deadletter_change", args=[letters[0].pk])).content.decode()
    assert "Discard…" not in page
    assert client.post(reverse("admin:jobs_deadletter_discard"), {"letters": "1", "reason": "x"}).status_code == 403


def test_a_letters_page_shows_what_was_sent_as_text(staff: Client, db: None) -> None:
    keep_dead_letter(queue="probe", reason="malformed", headers={"x": "<b>"}, body=b"<script>alert(1)</script>")
    page = staff.get(reverse("admin:jobs_deadletter_change", args=[DeadLetter.objects.get().pk])).content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "Discard…" in page
