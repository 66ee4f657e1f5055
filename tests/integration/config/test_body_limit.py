"""What is too large is refused unread."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from config.body_limit import STAFF_BYTES, VISITOR_BYTES

pytestmark = pytest.mark.django_db


def upload(size: int) -> dict[str, SimpleUploadedFile]:
    return {"document": SimpleUploadedFile("plan.json", b" " * size)}


@pytest.mark.parametrize("address", ["/", "/admin/login/"])
def test_a_visitor_cannot_send_a_large_file_anywhere(client: Client, address: str) -> None:
    answer = client.post(address, upload(VISITOR_BYTES))
    assert answer.status_code == 413
    assert "nothing was changed" in answer.content.decode()


def test_staff_can_send_what_a_seating_plan_may_weigh(client: Client) -> None:
    client.force_login(User.objects.create_superuser("staff"))
    assert client.post("/admin/", upload(VISITOR_BYTES)).status_code == 200


def test_nobody_can_send_more_than_the_largest_plan(client: Client) -> None:
    client.force_login(User.objects.create_superuser("staff"))
    answer = client.post("/admin/", data=b"", content_type="text/plain", CONTENT_LENGTH=str(STAFF_BYTES + 1))
    assert answer.status_code == 413


def test_a_length_that_is_no_number_is_none(client: Client) -> None:
    assert client.get("/", CONTENT_LENGTH="much").status_code == 200


def test_a_length_of_thousands_of_digits_is_too_much_and_no_fault(client: Client) -> None:
    for at in ("/admin/", "/webhooks/stripe/"):
        answer = client.post(at, data=b"", content_type="text/plain", CONTENT_LENGTH="9" * 5000)
        assert answer.status_code == 413
    assert client.post("/webhooks/stripe/", data=b"", content_type="text/plain", CONTENT_LENGTH="²").status_code == 413
