"""Addresses that were made to break something."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address", ["/?q=%00", "/admin/boxoffice/order/?status__exact=%00", "/admin/autocomplete/?term=%00"]
)
def test_a_nul_in_an_address_is_answered_with_a_sentence_and_breaks_no_page(
    address: str, django_user_model: type
) -> None:
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("ada", password="correct horse battery"))  # type: ignore[attr-defined]
    response = client.get(address)
    assert response.status_code == 400
    assert "This request cannot be read" in response.content.decode()
