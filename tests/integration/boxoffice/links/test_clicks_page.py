"""The page of clicks: whose links somebody sees, what came of them, and how old it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from django.conf import settings as site
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from boxoffice.models import Order, Promotion
from inventory.models import Show
from snip.log.streams import stream_names
from snip.models import ArchiveProgress, ClickDay, Link, LinkCode
from tests.books import sell_on_the_web
from tests.fixtures_links import person_of_role

pytestmark = pytest.mark.django_db

PAGE = "/admin/snip/clickday/"
QUERIES = 9
"""Those that ``look_over_clicks`` promises; sessions, rights and the filter come on top."""


@pytest.fixture
def login(client: Client) -> Callable[[str], Any]:
    """Makes somebody of this role and logs him in."""

    def log_in(role: str, name: str = "anna") -> Any:
        user = person_of_role(name, role)
        client.force_login(user)
        return user

    return log_in


@pytest.fixture(autouse=True)
def _nothing_sampled() -> Iterator[None]:
    with redis.Redis.from_url(site.REDIS_URL, socket_timeout=20) as client:
        for key in client.scan_iter("snip:live:*"):
            client.delete(key)
        yield


def make_link(code: str, *, owner: Any = None, label: str = "") -> Link:
    link = Link.objects.create(target="https://example.org/", label=label, owner=owner)
    LinkCode.objects.create(code=code, link=link)
    return link


def count(code: str, clicks: int = 1, *, bots: int = 0, days_ago: int = 0, referrer: str = "chat.example") -> None:
    day = (datetime.now(UTC) - timedelta(days=days_ago)).date()
    for number, is_bot in ((clicks, False), (bots, True)):
        if number:
            for by, value in ((1, "07"), (2, "DE"), (3, referrer)):
                ClickDay.objects.create(code=code, day=day, by=by, value=value, is_bot=is_bot, clicks=number)


def page_of(client: Client, **asked: Any) -> str:
    answer = client.get(PAGE, asked)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def read_until(moment: datetime) -> None:
    for stream in stream_names(site.SNIP_STREAMS):
        ArchiveProgress.objects.create(stream=stream, complete_until=moment)


def test_a_promoter_sees_the_clicks_on_his_own_links_and_staff_see_all(
    client: Client, login: Callable[..., Any]
) -> None:
    count("mine", 41)
    count("theirs", 1_313, referrer="secret.example")
    make_link("theirs", label="Their poster", owner=login("Promoter", "other"))
    make_link("mine", label="My poster", owner=login("Promoter", "anna"))
    own = page_of(client)
    assert "<dd>41</dd>" in own
    assert "My poster · mine" in own
    assert "Their poster" not in own
    assert "secret.example" not in own
    login("Support", "carla")
    everything = page_of(client)
    assert "1,354" in everything
    assert "Their poster · theirs" in everything


def test_a_promoter_who_asks_for_the_link_of_another_one_sees_nothing_of_it(
    client: Client, login: Callable[..., Any]
) -> None:
    theirs = make_link("theirs", label="Their poster", owner=login("Promoter", "other"))
    count("theirs", 1_313)
    login("Promoter", "anna")
    page = page_of(client, link=theirs.pk)
    assert "1,313" not in page
    assert "Their poster" not in page


def test_whoever_has_no_right_to_it_is_turned_away(client: Client, login: Callable[..., Any]) -> None:
    login("Door")
    assert client.get(PAGE).status_code == 403


def test_bots_stand_apart_and_aliases_of_a_link_are_one(client: Client, login: Callable[..., Any]) -> None:
    link = make_link("drawn1", label="Poster")
    LinkCode.objects.create(code="alias", link=link, is_alias=True)
    count("drawn1", 20, bots=7)
    count("alias", 3, referrer="other.example")
    login("Finance")
    page = page_of(client)
    assert "<dd>23</dd>" in page
    assert "<dd>7</dd>" in page
    assert page.count("Poster · drawn1</a>") == 1
    assert "20 clicks, and 7 of bots" not in page  # a column holds both codes
    assert "23 clicks, and 7 of bots" in page


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"period": "1"}, "Clicks by hour"),
        ({"period": "30"}, "Clicks by day"),
        ({"first": "2026-01-01", "last": "2026-11-01"}, "Clicks by week"),
    ],
)
def test_a_column_is_an_hour_a_day_or_a_week(
    client: Client, login: Callable[..., Any], asked: dict[str, str], shown: str
) -> None:
    make_link("one")
    count("one", 5)
    ClickDay.objects.create(code="one", day="2026-10-05", by=1, value="07", is_bot=False, clicks=2)
    login("Finance")
    assert shown in page_of(client, **asked)


def test_days_that_cannot_be_understood_are_told_at_the_field(client: Client, login: Callable[..., Any]) -> None:
    login("Finance")
    assert "The last day is before the first one." in page_of(client, first="2026-05-02", last="2026-05-01")
    for odd in ("0000-00-00", "9999-12-31", "x" * 300):
        page_of(client, period="own", first=odd, last=odd, link="99999999999999999999")


def test_the_page_says_how_old_it_is_and_when_it_is_late(client: Client, login: Callable[..., Any]) -> None:
    login("Finance")
    assert "Not every part of the log has been read yet." in page_of(client)
    read_until(datetime.now(UTC) - timedelta(seconds=40))
    assert "Updated within 5 minutes: now, all clicks until" in page_of(client)
    ArchiveProgress.objects.filter(stream=stream_names(1)[0]).update(
        complete_until=datetime.now(UTC) - timedelta(minutes=6)
    )
    assert "Late: updated within 5 minutes as a rule" in page_of(client)


def test_what_was_sold_through_a_link_is_told_with_it(
    client: Client, login: Callable[..., Any], make_show: Callable[..., Show]
) -> None:
    show = make_show("Nightbirds", prices={"Front": 4210, "House": 1205})
    make_link("poster", label="Poster")
    for guids in (("A-1", "A-2"), ("B-1",)):
        Order.objects.filter(pk=sell_on_the_web(show, *guids).pk).update(link_code="poster")
    sell_on_the_web(show, "B-3")
    login("Finance")
    page = page_of(client)
    assert 'data-label="Orders">2</td>' in page
    assert 'data-label="Seats">3</td>' in page
    assert "96.25" in page
    login("Support", "carla")
    assert "Sold through links" not in page_of(client)


def test_a_promoter_sees_no_sales_of_a_show_that_is_not_his(
    client: Client, login: Callable[..., Any], make_show: Callable[..., Show]
) -> None:
    show = make_show("Nightbirds", prices={"Front": 4210, "House": 1205})
    user = login("Promoter")
    make_link("poster", label="Poster", owner=user)
    Order.objects.filter(pk=sell_on_the_web(show, "A-1").pk).update(link_code="poster")
    before = page_of(client)
    assert "42.10" not in before
    assert "What links sold for others is not shown." in before
    Promotion.objects.create(show=show, promoter=user)
    assert "42.10" in page_of(client)


def test_the_page_takes_as_many_queries_for_a_thousand_links_as_for_one(
    client: Client, login: Callable[..., Any], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(40):
        make_link(f"code{number}", label=f"Poster {number}")
        count(f"code{number}", number + 1)
    login("Finance")
    page_of(client)
    with django_assert_max_num_queries(QUERIES + 14):
        page = page_of(client)
    assert "15 more had fewer clicks" not in page  # the best links are read, and no others
    assert "Poster 39 · code39" in page


def test_names_and_referrers_are_text(client: Client, login: Callable[..., Any]) -> None:
    make_link("one", label="<script>alert(1)</script>")
    count("one", 5, referrer="<b>x")
    login("Finance")
    page = page_of(client)
    assert "<script>alert" not in page
    assert "<b>x" not in page


def test_without_redis_the_page_does_without_the_last_minutes(
    client: Client, login: Callable[..., Any], settings: Any
) -> None:
    login("Finance")
    with redis.Redis.from_url(site.REDIS_URL, socket_timeout=20) as server:
        seconds, _microseconds = server.time()
        server.hincrby(f"snip:live:{seconds // 60}", "one", 3)
    assert "About 3 clicks in the last five minutes" in page_of(client)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert "in the last five minutes" not in page_of(client)
