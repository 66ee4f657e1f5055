"""The list of blocked sites at the desk: who keeps it, and what a block does."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from boxoffice.roles.table import OPERATOR
from snip.models import BlockedSite, SiteAction
from snip.scan.block_list import is_blocked
from tests.fixtures_links import desk_of, person_of_role

pytestmark = pytest.mark.django_db

LIST, ADD = "admin:snip_blockedsite_changelist", "admin:snip_blockedsite_add"


@pytest.fixture
def operator_olga(db: None) -> Any:
    return person_of_role("olga", OPERATOR)


def lifting(host: str) -> str:
    return reverse("admin:snip_blockedsite_delete", args=[host])


def test_an_operator_blocks_a_site_by_any_address_of_it_and_lifts_it_with_a_reason(operator_olga: Any) -> None:
    browser = desk_of(operator_olga)
    assert "No site is blocked" in browser.get(reverse(LIST)).text
    given = {"host": "HTTPS://Bücher.example.com:443/a?b#c".replace(":443", ""), "reason": "phishing"}
    assert "is blocked. No link leads there." in browser.post(reverse(ADD), given, follow=True).text
    host = "xn--bcher-kva.example.com"
    assert is_blocked(f"www.{host}")
    assert "blocked already" in browser.post(reverse(ADD), given, follow=True).text
    assert lifting(host) in browser.get(reverse(LIST)).text
    assert "Kept with your name" in browser.post(lifting(host), {"reason": ""}).text
    german = browser.get(lifting(host), headers={"accept-language": "de"}).text
    assert re.search(r"Gesperrt von olga am \w+\., \d+\. \S+ \d{4}, \d\d:\d\d Uhr, UTC: phishing", german)
    assert f"{host} is not blocked any more" in browser.post(lifting(host), {"reason": "cleaned up"}, follow=True).text
    assert not BlockedSite.objects.exists()
    assert browser.post(lifting(host), {"reason": "again"}).status_code == 404
    assert list(SiteAction.objects.order_by("pk").values_list("action", "by", "why")) == [
        ("block", "olga", "phishing"),
        ("lift", "olga", "cleaned up"),
    ]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"host": ""}, "required"),
        ({"host": "127.0.0.1"}, "private network"),
        ({"host": "localhost"}, "private network"),
        ({"host": "a b.com"}, "no name of a site"),
        ({"host": "https://"}, "no name of a site"),
        ({"host": "example.com", "reason": " "}, "required"),
        ({"host": "x" * 2001}, "2000"),
    ],
)
def test_what_is_wrong_stands_at_its_field(operator_olga: Any, given: dict[str, str], told: str) -> None:
    answer = desk_of(operator_olga).post(reverse(ADD), {"reason": "phishing", **given})
    assert told in answer.text
    assert not BlockedSite.objects.exists()


def test_support_reads_the_list_and_a_promoter_does_not(
    supporter_sue: Any, promoter_paula: Any, operator_olga: Any
) -> None:
    desk_of(operator_olga).post(reverse(ADD), {"host": "example.com", "reason": "<b>phishing"})
    support, promoter = desk_of(supporter_sue), desk_of(promoter_paula)
    page = support.get(reverse(LIST)).text
    assert "&lt;b&gt;phishing" in page
    assert lifting("example.com") not in page
    for address in (reverse(ADD), lifting("example.com")):
        assert {support.get(address).status_code, support.post(address, {"reason": "x"}).status_code} == {403}
    assert {promoter.get(address).status_code for address in (reverse(LIST), reverse(ADD))} == {403}
    assert BlockedSite.objects.exists()
