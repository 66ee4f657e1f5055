"""The redirect's parts at their bounds: the cache, the question to PostgreSQL, the buffer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.conf import settings
from prometheus_client import REGISTRY

from snip.event import Click, pack
from snip.log.bounds import Bounds, Policy
from snip.redirect.answers import redirection
from snip.redirect.app import Redirect
from snip.redirect.buffer import Buffer
from snip.redirect.cache import Cache
from snip.redirect.find_targets import Finder
from snip.redirect.flush import Flusher, log_client
from snip.redirect.look_up import FRESH_SECONDS, GRACE_SECONDS, STALE_SECONDS, fresh_link, look_up
from snip.redirect.setup import Setup
from snip.redirect.target import Leads, Target, with_code
from snip.uuid7 import uuid7
from tests.fixtures_redirect import ClickLog, database_url
from tests.network import Line


def known(age: float = 0.0) -> Target:
    return Target(Leads.SOMEWHERE, time.monotonic() - age)


def test_a_full_cache_forgets_what_was_asked_for_longest_ago() -> None:
    cache = Cache(known=2, unknown=1)
    for code in ("a", "b", "a", "c"):
        cache.put(code, known())

    assert [cache.get(code) is not None for code in "abc"] == [True, False, True]


def test_whoever_guesses_codes_pushes_out_no_code_that_leads_somewhere() -> None:
    cache = Cache(known=2, unknown=10)
    cache.put("a", known())
    for number in range(1_000):
        cache.put(f"guess{number}", Target(Leads.UNKNOWN, time.monotonic()))

    assert cache.get("a") is not None
    assert len(cache) == 11


def test_a_code_that_comes_to_lead_somewhere_is_unknown_no_longer() -> None:
    cache = Cache(known=2, unknown=2)
    cache.put("a", Target(Leads.UNKNOWN, time.monotonic()))
    cache.put("a", known())

    assert (cache.get("a") or known()).leads is Leads.SOMEWHERE
    assert len(cache) == 1


def test_only_a_link_that_is_fresh_and_not_over_is_led_to_without_asking() -> None:
    cache, now, answer = Cache(known=10, unknown=10), time.monotonic(), redirection("https://example.org/")
    cache.put("fresh", Target(Leads.SOMEWHERE, now, answer, ends_at=now + 60))
    cache.put("over", Target(Leads.SOMEWHERE, now - 2, answer, ends_at=now - 1))
    cache.put("old", Target(Leads.SOMEWHERE, now - FRESH_SECONDS, answer))
    cache.put("gone", Target(Leads.GONE, now))
    cache.put("unknown", Target(Leads.UNKNOWN, now))

    codes = ("fresh", "over", "old", "gone", "unknown", "never asked for")
    assert [code for code in codes if fresh_link(code, cache=cache)] == ["fresh"]


class CountingFinder(Finder):
    """Remembers what PostgreSQL was asked."""

    def __init__(self, *, cache: Cache, url: str = "") -> None:
        super().__init__(database_url=url or database_url(), cache=cache, public_url="https://shop.example")
        self.questions: list[list[str]] = []

    async def _ask(self, codes: Sequence[str]) -> dict[str, Target]:
        self.questions.append(list(codes))
        return await super()._ask(codes)


async def looked_up(codes: Sequence[str], *, cache: Cache, finder: Finder) -> list[Target | None]:
    work = asyncio.create_task(finder.run())
    found = await asyncio.gather(*(look_up(code, cache=cache, finder=finder) for code in codes))
    work.cancel()
    await asyncio.wait([work])
    await finder.close()
    return list(found)


@pytest.mark.django_db(transaction=True)
def test_a_code_that_a_thousand_visitors_want_at_once_is_asked_for_once(live_link: Callable[..., str]) -> None:
    code, cache = live_link(), Cache(known=10, unknown=10)
    finder = CountingFinder(cache=cache)

    found = asyncio.run(looked_up([code] * 1_000, cache=cache, finder=finder))

    assert finder.questions == [[code]]
    assert all(target is not None and target.leads is Leads.SOMEWHERE for target in found)


@pytest.mark.django_db(transaction=True)
def test_a_flood_of_guesses_costs_postgresql_few_statements() -> None:
    cache = Cache(known=10, unknown=5_000)
    finder = CountingFinder(cache=cache)

    found = asyncio.run(looked_up([f"guess{number}" for number in range(2_000)], cache=cache, finder=finder))

    assert {target.leads for target in found if target} == {Leads.UNKNOWN}
    assert len(finder.questions) <= 5


@pytest.mark.django_db(transaction=True)
def test_while_postgresql_is_away_old_answers_serve_for_a_day_and_no_longer() -> None:
    line, cache = Line(database_url()), Cache(known=10, unknown=10)
    finder = CountingFinder(cache=cache, url=line.url)
    line.cut()
    cache.put("hour", known(3_600))
    cache.put("ages", known(STALE_SECONDS + 1))
    cache.put("guess", Target(Leads.UNKNOWN, time.monotonic() - 60))

    hour, ages, guess = asyncio.run(looked_up(["hour", "ages", "guess"], cache=cache, finder=finder))

    assert hour is not None
    assert hour.leads is Leads.SOMEWHERE
    assert ages is None
    assert guess is None, "it may be a link by now"


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_was_closed_while_nobody_asked_costs_no_visitor_his_answer() -> None:
    line, cache = Line(database_url()), Cache(known=10, unknown=10)
    finder = CountingFinder(cache=cache, url=line.url)

    async def visit_again_after_a_break() -> Target:
        work = asyncio.create_task(finder.run())
        await finder.find("before")
        line.cut()
        line.restore()
        found = await finder.find("after")
        work.cancel()
        await finder.close()
        return found

    assert asyncio.run(visit_again_after_a_break()).leads is Leads.UNKNOWN
    line.cut()


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_nobody_asked_for_in_a_while_is_not_served_while_postgresql_can_tell(
    live_link: Callable[..., str],
) -> None:
    blocked, cache = live_link(state="blocked"), Cache(known=10, unknown=10)
    cache.put(blocked, known(FRESH_SECONDS + GRACE_SECONDS + 1))

    (found,) = asyncio.run(looked_up([blocked], cache=cache, finder=CountingFinder(cache=cache)))

    assert found is not None
    assert found.leads is Leads.GONE


@pytest.mark.django_db(transaction=True)
def test_a_busy_code_is_asked_for_again_in_the_background(live_link: Callable[..., str]) -> None:
    code, cache = live_link(), Cache(known=10, unknown=10)
    cache.put(code, known(FRESH_SECONDS + 1))
    old = cache.get(code)
    finder = CountingFinder(cache=cache)

    async def visit() -> Target | None:
        work = asyncio.create_task(finder.run())
        found = await look_up(code, cache=cache, finder=finder)
        async with asyncio.timeout(10):
            while cache.get(code) is old:
                await asyncio.sleep(0.01)
        work.cancel()
        await finder.close()
        return found

    assert asyncio.run(visit()) is old, "the visitor waits for nothing"
    assert finder.questions == [[code]]


def test_only_pages_of_our_own_shows_get_the_code() -> None:
    for address in ("https://shop.example/", "https://shop.example.evil/shows/x/", "https://other.example/shows/x/"):
        assert with_code(address, code="abc", public_url="https://shop.example") == address
    assert with_code("https://shop.example/shows/x/", code="abc", public_url="https://shop.example").endswith(
        "?via=abc"
    )


def some(number: int, *, code: str) -> list[bytes]:
    return [pack(Click(id=uuid7(), code=code)) for _ in range(number)]


def dropped(reason: str) -> float:
    return REGISTRY.get_sample_value("snip_clicks_dropped_total", {"reason": reason}) or 0.0


async def flushed(buffer: Buffer, *, url: str = "", bounds: Bounds | None = None, seconds: float = 0.0) -> None:
    client = log_client(url or settings.REDIS_URL)
    flusher = Flusher(client=client, buffer=buffer, bounds=bounds or Bounds())
    if seconds:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(seconds):
                await flusher.run()
    await flusher.finish()
    await client.aclose()


def test_a_full_buffer_drops_new_clicks_and_says_so(click_log: ClickLog) -> None:
    buffer, before = Buffer(bound=100), dropped("buffer_full")
    for packed in some(130, code="full"):
        buffer.put(packed)

    asyncio.run(flushed(buffer))

    assert len(click_log.clicks("full")) == 100
    assert dropped("buffer_full") == before + 30


def test_what_a_full_buffer_drops_while_redis_is_away_counts_for_redis(click_log: ClickLog) -> None:
    line, buffer, before = Line(settings.REDIS_URL), Buffer(bound=10), (dropped("redis_away"), dropped("stopped"))
    line.cut()
    for packed in some(15, code="away"):
        buffer.put(packed)

    asyncio.run(flushed(buffer, url=line.url, seconds=0.5))

    assert (dropped("redis_away"), dropped("stopped")) == (before[0] + 5, before[1] + 10)
    assert not click_log.clicks("away")


def test_a_click_that_cannot_be_made_is_counted_as_dropped() -> None:
    setup = Setup(
        database_url=database_url(), redis_url=settings.REDIS_URL, public_url="https://shop.example", bounds=Bounds()
    )
    before = dropped("not_made")

    Redirect(setup)._note("größe", {"headers": []})

    assert dropped("not_made") - before == 1


@pytest.mark.parametrize("path", ["/abc", "/healthz", "/go", "/goabc", "/elsewhere/abc"])
def test_a_link_in_memory_is_led_to_below_the_base_path_alone(path: str) -> None:
    setup = Setup(
        database_url=database_url(),
        redis_url=settings.REDIS_URL,
        public_url="https://shop.example",
        bounds=Bounds(),
        base_path="/go/",
    )
    redirect = Redirect(setup)
    for code in ("abc", "goabc", "healthz"):
        redirect._cache.put(code, Target(Leads.SOMEWHERE, time.monotonic(), redirection("https://example.org/")))

    assert asyncio.run(answered(redirect, "/go/ABC/")) == 302
    assert asyncio.run(answered(redirect, path)) == (200 if path == "/healthz" else 404)


async def answered(redirect: Redirect, path: str) -> int:
    """The status of the answer to whoever asks for ``path``."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    await redirect({"type": "http", "method": "GET", "path": path, "headers": []}, receive, send)
    return int(sent[0]["status"])


def test_clicks_that_the_logs_bound_turns_away_are_counted(click_log: ClickLog) -> None:
    buffer, before = Buffer(bound=1_000), dropped("log_full")
    for packed in some(300, code="bound"):
        buffer.put(packed)

    asyncio.run(flushed(buffer, bounds=Bounds(streams=1, length=100, policy=Policy.SHED_NEWEST)))

    assert (len(click_log.clicks("bound")), dropped("log_full")) == (100, before + 200)
