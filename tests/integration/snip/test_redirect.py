"""The redirect as visitors meet it: a real process on real servers, which go away and come back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from snip.event import AgentClass
from snip.models import Link, LinkCode
from tests.fixtures_redirect import ClickLog, RedirectProcess, running_redirect
from tests.processes import wait_for, wait_for_end

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., str]


def test_a_code_leads_to_its_target_and_nobody_may_keep_the_answer(
    redirect_process: RedirectProcess, live_link: Make, click_log: ClickLog
) -> None:
    code = live_link("https://example.org/a?b=c")

    answer = redirect_process.visit(f"/{code}", Referer="https://news.example.com/page", X_Country="DE")

    assert (answer.status, answer.headers["location"]) == (302, "https://example.org/a?b=c")
    assert (answer.headers["cache-control"], answer.body) == ("no-store", b"")
    wait_for(lambda: click_log.clicks(code), what="the click is in the log")
    (click,) = click_log.clicks(code)
    assert (click.country, click.agent, click.referrer) == ("DE", AgentClass.MOBILE, "news.example.com")
    assert abs(click.at - timezone.now()) < timedelta(seconds=30)


def test_a_code_may_be_typed_in_capitals_and_with_a_slash_behind_it(
    redirect_process: RedirectProcess, live_link: Make, click_log: ClickLog
) -> None:
    code = live_link()

    assert redirect_process.visit(f"/{code.upper()}/?utm=x").status == 302
    wait_for(lambda: click_log.clicks(code), what="it counts for the code as it is kept")


def test_who_only_asks_about_a_link_is_answered_alike_and_not_counted(
    redirect_process: RedirectProcess, live_link: Make, click_log: ClickLog
) -> None:
    code = live_link()

    asked = redirect_process.visit(f"/{code}", method="HEAD")
    posted = redirect_process.visit(f"/{code}", method="POST")
    followed = redirect_process.visit(f"/{code}")

    assert (asked.status, asked.headers["location"]) == (302, followed.headers["location"])
    assert (posted.status, posted.headers["allow"]) == (405, "GET, HEAD")
    wait_for(lambda: click_log.clicks(code), what="the click of the GET")
    assert len(click_log.clicks(code)) == 1


def test_an_address_of_our_own_show_tells_the_shop_which_link_it_was(
    redirect_process: RedirectProcess, live_link: Make
) -> None:
    code = live_link("http://127.0.0.1:8000/shows/hamlet/?a=1&via=other#seats")

    told = redirect_process.visit(f"/{code}").headers["location"]

    assert told == f"http://127.0.0.1:8000/shows/hamlet/?a=1&via={code}#seats"


@pytest.mark.parametrize(
    "path", ["/nosuchcode", "//", "/a/b", "/..%2f", "/x%00y", "/%ff", "/gr%C3%B6%C3%9Fe", f"/{'x' * 5000}"]
)
def test_what_is_no_code_is_not_found(redirect_process: RedirectProcess, path: str) -> None:
    answer = redirect_process.visit(path)

    assert (answer.status, answer.headers["cache-control"]) == (404, "no-store")
    assert b"There is no such link" in answer.body
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert redirect_process.visit("/page.css").headers["content-type"].startswith("text/css")


def test_the_address_without_a_code_leads_to_the_shop(redirect_process: RedirectProcess) -> None:
    answer = redirect_process.visit("/")

    assert (answer.status, answer.headers["location"]) == (302, "http://127.0.0.1:8000/")
    assert answer.headers["cache-control"] == "no-store"


def test_a_link_that_no_one_has_checked_yet_is_not_found(redirect_process: RedirectProcess, live_link: Make) -> None:
    assert redirect_process.visit(f"/{live_link(state='scanning', served_target='')}").status == 404


def test_a_link_whose_new_target_is_being_checked_leads_to_the_old_one(
    redirect_process: RedirectProcess, live_link: Make
) -> None:
    code = live_link("https://example.org/new", state="scanning", served_target="https://example.org/old")

    assert redirect_process.visit(f"/{code}").headers["location"] == "https://example.org/old"


def test_a_link_that_was_blocked_deleted_retired_or_has_ended_is_gone(
    redirect_process: RedirectProcess, live_link: Make, click_log: ClickLog
) -> None:
    retired = live_link()
    LinkCode.objects.filter(code=retired).update(retired_at=timezone.now())
    ended = live_link(expires_at=timezone.now() - timedelta(seconds=1))
    gone = [live_link(state="blocked"), live_link(state="deleted"), retired, ended]

    assert [redirect_process.visit(f"/{code}").status for code in gone] == [410] * 4
    answer = redirect_process.visit(f"/{ended}", Accept_Language="de-DE,de;q=0.9,en;q=0.5")
    assert "Dieser Link führt nirgendwo mehr hin" in answer.body.decode()
    assert answer.headers["content-language"] == "de"
    assert not any(click_log.clicks(code) for code in gone)


def test_a_link_ends_at_its_instant_though_it_is_in_memory(redirect_process: RedirectProcess, live_link: Make) -> None:
    code = live_link(expires_at=timezone.now() + timedelta(seconds=2))
    assert redirect_process.visit(f"/{code}").status == 302

    wait_for(lambda: redirect_process.visit(f"/{code}").status == 410, seconds=8, what="the link ends")


def test_with_postgresql_away_known_codes_lead_on_and_others_ask_for_patience(
    redirect_process: RedirectProcess, live_link: Make, click_log: ClickLog
) -> None:
    known, other = live_link(), live_link()
    assert redirect_process.visit(f"/{known}").status == 302
    redirect_process.postgres.cut()

    answer = redirect_process.visit(f"/{other}")

    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert redirect_process.visit(f"/{known}").status == 302
    redirect_process.postgres.restore()
    wait_for(lambda: redirect_process.visit(f"/{other}").status == 302, what="PostgreSQL is asked again")
    wait_for(lambda: len(click_log.clicks(known)) == 2, what="its clicks are counted")


def test_a_postgresql_that_freezes_holds_up_no_known_code(redirect_process: RedirectProcess, live_link: Make) -> None:
    known, other = live_link(), live_link()
    assert redirect_process.visit(f"/{known}").status == 302
    redirect_process.postgres.freeze()

    began = time.monotonic()
    assert redirect_process.visit(f"/{other}").status == 503
    assert time.monotonic() - began < 5, "whoever asks for a code that is not in memory is told within seconds"
    assert redirect_process.visit(f"/{known}").status == 302


def test_with_redis_away_redirects_go_on_and_their_clicks_are_written_when_it_is_back(
    redirect_process: RedirectProcess, live_link: Make, click_log: ClickLog
) -> None:
    code = live_link()
    redirect_process.redis.cut()

    assert [redirect_process.visit(f"/{code}").status for _ in range(50)] == [302] * 50
    assert not click_log.clicks(code)
    redirect_process.redis.restore()
    wait_for(lambda: len({click.id for click in click_log.clicks(code)}) == 50, what="all clicks are in the log")


def test_a_process_that_is_told_to_stop_waits_a_moment_for_redis_and_loses_nothing(
    live_link: Make, click_log: ClickLog
) -> None:
    code = live_link()
    with running_redirect() as running:
        running.redis.cut()
        assert [running.visit(f"/{code}").status for _ in range(30)] == [302] * 30
        bringing_back = threading.Timer(0.5, running.redis.restore)
        bringing_back.start()

        assert running.process.terminate() == 0
        wait_for_end(bringing_back)

    assert len({click.id for click in click_log.clicks(code)}) == 30


def test_a_process_that_is_told_to_stop_while_redis_is_away_stops_and_tells_what_it_gave_up(live_link: Make) -> None:
    code = live_link()
    with running_redirect(LOG_FORMAT="json") as running:
        running.redis.freeze()
        assert [running.visit(f"/{code}").status for _ in range(5)] == [302] * 5

        assert running.process.terminate(seconds=10) == 0

        running.process.wait_for_output("clicks_given_up", seconds=1)


def test_a_link_that_changes_is_followed_within_seconds(redirect_process: RedirectProcess, live_link: Make) -> None:
    code = "early-bird-offer"
    assert redirect_process.visit(f"/{code}").status == 404
    link = Link.objects.create(target="https://example.org/", served_target="https://example.org/", state="live")
    LinkCode.objects.create(code=code, link=link)

    wait_for(lambda: redirect_process.visit(f"/{code}").status == 302, seconds=8, what="the new link is found")
