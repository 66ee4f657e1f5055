"""How many orders a mail to many does not reach, whatever letters their addresses have, in a few queries."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_django import DjangoAssertNumQueries

from boxoffice.models import Order
from boxoffice.no_bulk_mail import count_suppressed
from notifications.suppression.suppress_address import suppress_address

pytestmark = pytest.mark.django_db

ADDRESSES = ["ada@example.org", "ädä@example.org", "Ödön@example.org", "ada@bücher.example", "åsa@example.org"]


def test_addresses_of_any_letters_are_counted_by_three_queries(
    make_paid_order: Callable[..., Order], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for address in ADDRESSES:
        Order.objects.filter(pk=make_paid_order().pk).update(email=address)
    for address in ("ADA@example.org", "ÄDÄ@example.org", "ada@xn--bcher-kva.example"):
        suppress_address(address=address, reason="bounced", detail="gone", notification_id=1)
    with django_assert_num_queries(3):
        assert count_suppressed(Order.objects.all()) == 3


def test_where_all_addresses_are_of_ascii_two_queries_do(
    paid_order: Order, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        assert count_suppressed(Order.objects.all()) == 0
