"""What somebody at the desk reads when a page fails leads back to the desk, and not to the shows."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.test import Client, RequestFactory
from django.urls import reverse

from boxoffice.models import Order
from boxoffice.storefront.errors import server_error
from tests.fixtures_desk import login_as


@pytest.mark.django_db
def test_a_desk_page_that_is_not_there_leads_back_to_the_desk(client: Client) -> None:
    client.force_login(get_user_model().objects.create_superuser("anna"))
    answer = client.get("/admin/nowhere/")
    assert answer.status_code == 404
    assert "Back to the desk" in answer.content.decode()


def test_whoever_may_not_see_a_desk_page_reads_whom_to_ask(client: Client, confirmed_order: Order) -> None:
    page = login_as(client, role="Promoter").get(reverse("admin:boxoffice_order_change", args=[confirmed_order.pk]))
    assert page.status_code == 403
    assert "Ask an operator if it should have." in page.content.decode()


@pytest.mark.parametrize(("path", "words"), [("/admin/x/", "Back to the desk"), ("/shows/x/", "See all shows")])
def test_a_page_that_broke_leads_back_to_where_one_was(rf: RequestFactory, path: str, words: str) -> None:
    answer = server_error(rf.get(path))
    assert answer.status_code == 500
    assert words in answer.content.decode()
