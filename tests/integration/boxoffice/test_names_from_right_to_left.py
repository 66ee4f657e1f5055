"""A name or title in Hebrew or Arabic on the pages and in the mails: in its own direction, carrying nothing along."""

from __future__ import annotations

from django.test import Client

from boxoffice.messages import tickets_ready
from boxoffice.messages.base import lay_out
from boxoffice.models import Order
from boxoffice.own_direction import isolated
from inventory.models import Show
from tickets.models import Ticket

NAME, TITLE = "דוד בן גוריון", "הדיבוק (2)"


def named(order: Order) -> Order:
    Order.objects.filter(pk=order.pk).update(name=NAME)
    Ticket.objects.filter(order_id=order.pk).update(holder_name=NAME)
    Show.objects.filter(pk=order.show_id).update(title=TITLE, subtitle=TITLE)
    return Order.objects.get(pk=order.pk)


def test_only_what_runs_from_right_to_left_is_set_apart() -> None:
    assert isolated(NAME) == f"\u2068{NAME}\u2069"
    assert [isolated(text) for text in ("Ada", "Ελένη", "山田", "🎭")] == ["Ada", "Ελένη", "山田", "🎭"]


def test_the_pages_set_names_and_titles_apart(client: Client, order_with_tickets: Order) -> None:
    order = named(order_with_tickets)
    page = client.get(f"/orders/{order.token}/").content.decode()
    assert f"<bdi>{NAME}</bdi>" in page
    assert page.count(f"<bdi>{TITLE}</bdi>") == 3
    assert f'<h1 dir="auto">{TITLE}</h1>' in client.get(f"/shows/{order.show.slug}/").content.decode()


def test_the_mail_sets_them_apart_in_the_subject_the_text_and_the_html(order_with_tickets: Order) -> None:
    order = named(order_with_tickets)
    content = lay_out(tickets_ready.draft(subject=order.subject), to_address=order.email)
    assert isolated(TITLE) in content.subject
    assert isolated(NAME) in content.text
    assert isolated(NAME) in content.html
    assert f"<bdi>{TITLE}</bdi></h1>" in content.html
