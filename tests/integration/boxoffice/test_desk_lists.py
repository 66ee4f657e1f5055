"""The lists of the desk and its first page, as they are read on any screen."""

from __future__ import annotations

from datetime import UTC, datetime

from django.test import Client
from django.urls import reverse
from django.utils import formats, translation
from django.utils.safestring import mark_safe

from boxoffice.models import Order
from boxoffice.templatetags.desk_lists import with_heads
from notifications.models import Notification
from tests.fixtures_desk import login_as


def test_the_cells_of_a_row_say_what_they_are_so_that_a_telephone_needs_no_head_above_them() -> None:
    row = [
        mark_safe('<td class="action-checkbox"><input type="checkbox"></td>'),
        mark_safe('<th class="field-code"><a href="1/">BCDF2345</a></th>'),
        mark_safe('<td class="field-status">confirmed</td>'),
    ]
    heads = [{"text": "<input>"}, {"text": "code"}, {"text": 'the "status"'}]
    assert with_heads(row, heads) == [
        *row[:2],
        '<td data-label="The &quot;status&quot;" class="field-status">confirmed</td>',
    ]


def test_a_list_is_called_what_it_lists(client: Client, confirmed_order: Order) -> None:
    page = login_as(client, role="Support").get(reverse("admin:tickets_ticket_changelist")).content.decode()
    assert "<h1>Tickets</h1>" in page
    assert '<td data-label="Order code"' in page


def test_the_first_page_begins_with_the_box_for_an_order_for_whoever_may_see_orders(client: Client, db: None) -> None:
    page = login_as(client, role="Support").get(reverse("admin:index")).content.decode()
    assert page.index('id="find-order"') < page.index("app-boxoffice")
    assert page.index("app-boxoffice") < page.index("app-inventory") < page.index("app-jobs")
    assert 'id="find-order"' not in login_as(Client(), role="Promoter").get(reverse("admin:index")).content.decode()


def test_english_dates_are_written_in_one_way_wherever_django_writes_them() -> None:
    with translation.override("en"):
        assert formats.localize(datetime(2026, 12, 8, 20, 30, tzinfo=UTC)) == "8 Dec 2026, 20:30"


def test_the_list_of_mails_says_what_each_is_and_finds_by_it(client: Client, queued_notification: Notification) -> None:
    Notification.objects.update(kind="tickets_ready")
    Notification.objects.create(kind="show_moved", subject="order:B", channel="email", recipient="b@example.org")
    address = reverse("admin:notifications_notification_changelist")
    page = login_as(client, role="Support").get(address).content.decode()
    assert page.count(">Mail with the tickets<") == 2  # its row, and the filter
    assert "tickets_ready" not in page.replace("?kind=tickets_ready", "")
    assert client.get(address, {"kind": "show_moved"}).context["cl"].result_count == 1
