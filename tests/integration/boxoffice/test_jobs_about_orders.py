"""A job that is about an order leads support staff to it."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from boxoffice.models import Order
from jobs.models import Job
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db


def page_of_its_job(client: Client, order: Order) -> str:
    job = Job.objects.filter(subject=order.subject).first()
    assert job is not None
    return client.get(reverse("admin:jobs_job_change", args=[job.pk])).content.decode()


def test_the_job_of_an_order_links_to_the_order(staff: Client, confirmed_order: Order) -> None:
    link = reverse("admin:boxoffice_order_change", args=[confirmed_order.pk])
    assert f'<a href="{link}">{confirmed_order.subject}</a>' in page_of_its_job(staff, confirmed_order)


def test_who_may_not_see_orders_gets_no_link_to_one(client: Client, confirmed_order: Order) -> None:
    page = page_of_its_job(staff_with(client, "view_job"), confirmed_order)
    assert confirmed_order.subject in page
    assert "/admin/boxoffice/order/" not in page
