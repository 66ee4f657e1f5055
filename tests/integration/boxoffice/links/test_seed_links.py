"""The demo's promoter has something to look at."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from inventory.models import Seat, Show
from snip.links import transitions
from snip.models import Link
from snip.scan.policy import policy_in_force
from snip.scan.targets import OwnPage, read_target
from tests.fixtures_links import desk_of

pytestmark = pytest.mark.django_db


def test_a_promoter_gets_shows_links_and_clicks_once(promoter_paula: Any, show_on_sale: Show) -> None:
    for _time in range(2):
        call_command("seed_links", "--username", "paula")
        links = Link.objects.filter(owner=promoter_paula, show_id=show_on_sale.pk)
        assert links.count() == 3
    # So that they are live a moment later, without a request to anybody.
    assert {read_target(link.target, policy=policy_in_force()) for link in links} == {OwnPage()}
    assert all(transitions.pass_scan(link_id=link.pk, version=1) for link in links)
    page = desk_of(promoter_paula).get(reverse("admin:snip_clickday_changelist")).text
    assert "Nobody followed a link" not in page
    assert "news.example" in page


def test_links_lead_to_no_show_that_is_nearly_sold_out(promoter_paula: Any, show_on_sale: Show) -> None:
    kept = Seat.objects.filter(show=show_on_sale).earliest("pk")
    Seat.objects.filter(show=show_on_sale).exclude(pk=kept.pk).update(status=Seat.Status.BLOCKED)
    call_command("seed_links", "--username", "paula")
    assert not Link.objects.filter(owner=promoter_paula).exists()


def test_without_the_login_it_says_what_to_do() -> None:
    with pytest.raises(CommandError, match="seed_staff"):
        call_command("seed_links", "--username", "nobody")
