"""Producers bring clicks of their own, wait for the log, and are told when to come back."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from django.conf import settings

from snip.event import AgentClass
from snip.log.bounds import Bounds, Policy
from snip.redirect.answers import Answer
from snip.redirect.flush import log_client
from snip.redirect.producers import MOST_BYTES, MOST_CLICKS, Find, Producers
from snip.redirect.target import Leads, Target
from snip.uuid7 import uuid7
from tests.fixtures_redirect import ClickLog
from tests.network import Line

TOKEN = "a-token-of-the-tests"


async def leads_somewhere(code: str) -> Target | None:
    """Of any code."""
    return Target(Leads.SOMEWHERE, 0.0)


def sent(
    body: bytes,
    *,
    token: str = TOKEN,
    scheme: str = "Bearer",
    bounds: Bounds | None = None,
    url: str = "",
    find: Find = leads_somewhere,
) -> Answer:
    """The answer to ``body``, which comes in two parts."""
    parts = [{"body": body[:10], "more_body": True}, {"body": body[10:], "more_body": False}]

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", **parts.pop(0)}

    async def send() -> Answer:
        client = log_client(url or settings.REDIS_URL)
        producers = Producers(token=TOKEN, client=client, bounds=bounds or Bounds(), find=find)
        answer = await producers.take(headers=[(b"authorization", f"{scheme} {token}".encode())], receive=receive)
        await client.aclose()
        return answer

    return asyncio.run(send())


def listed(number: int, **fields: Any) -> bytes:
    return json.dumps([{"id": str(uuid7()), "code": "abc", **fields} for _ in range(number)]).encode()


def test_clicks_of_a_producer_are_in_the_log_when_he_is_answered(click_log: ClickLog) -> None:
    answer = sent(listed(3, code="ABC", country="DE", agent="mobile", referrer="Example.org"))

    assert (answer.start["status"], answer.body["body"]) == (202, b"3\n")
    assert [(click.country, click.agent, click.referrer) for click in click_log.clicks("abc")] == [
        ("DE", AgentClass.MOBILE, "example.org")
    ] * 3


def test_a_full_log_that_refuses_sends_a_producer_away_for_a_while(click_log: ClickLog) -> None:
    bounds = Bounds(streams=1, length=100, policy=Policy.REFUSE)
    assert sent(listed(90), bounds=bounds).start["status"] == 202

    refused = sent(listed(20), bounds=bounds)

    assert refused.start["status"] == 503
    assert (b"retry-after", b"5") in refused.start["headers"]
    assert len(click_log.clicks("abc")) == 90


def test_a_log_that_is_away_sends_a_producer_away_for_a_while(click_log: ClickLog) -> None:
    line = Line(settings.REDIS_URL)
    line.cut()

    assert sent(listed(1), url=line.url).start["status"] == 503


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[1]",
        b"[" * 100_000,
        listed(1, code=""),
        listed(1, code=7),
        listed(1, id="x"),
        listed(1, id="9f0e0c64-6d1c-4a3b-9d6c-2f8f3f0f7a11"),
        listed(1, country="de"),
        listed(1, agent="toaster"),
        listed(1, referrer="größe"),
        listed(1)[:-1] + b',{"code":"abc"}]',
    ],
    ids=range(12),  # not for what is sent, which is another each time: all test processes must call a test the same
)
def test_what_is_no_list_of_clicks_is_refused_whole(click_log: ClickLog, body: bytes) -> None:
    assert sent(body).start["status"] == 400
    assert not click_log.clicks("abc")


def test_a_click_on_a_code_that_there_is_not_refuses_its_list_and_names_the_first(click_log: ClickLog) -> None:
    known = {
        "abc": Target(Leads.SOMEWHERE, 0.0),
        "old": Target(Leads.GONE, 0.0),
        "new": Target(Leads.UNKNOWN, 0.0, is_made=True),
    }
    asked: list[str] = []

    async def find(code: str) -> Target | None:
        asked.append(code)
        return known.get(code, Target(Leads.UNKNOWN, 0.0))

    def codes(*codes: str) -> bytes:
        return json.dumps([{"id": str(uuid7()), "code": code} for code in codes]).encode()

    assert sent(codes("abc", "old", "ABC", "new"), find=find).start["status"] == 202
    assert sorted(asked) == ["abc", "new", "old"]
    for wrong in ("nobody", "not a code"):
        refused = sent(codes("abc", wrong, "nothing"), find=find)
        assert (refused.start["status"], refused.body["body"][:8]) == (400, b"Number 1")
    assert "not a code" not in asked
    assert len(click_log.clicks("abc")) == 2


def test_with_postgresql_away_a_producers_clicks_are_taken(click_log: ClickLog) -> None:
    async def nobody_can_tell(code: str) -> Target | None:
        return None

    assert sent(listed(2), find=nobody_can_tell).start["status"] == 202
    assert len(click_log.clicks("abc")) == 2


def test_the_word_before_the_token_may_be_written_in_any_case_and_is_no_other(click_log: ClickLog) -> None:
    assert sent(listed(1), scheme="bearer").start["status"] == 202
    assert sent(listed(1), scheme="Basic").start["status"] == 401


def test_who_does_not_bear_the_token_or_brings_too_much_is_refused(click_log: ClickLog) -> None:
    assert sent(listed(1), token="another").start["status"] == 401
    assert sent(listed(MOST_CLICKS + 1)).start["status"] == 413
    assert sent(b" " * (MOST_BYTES + 1)).start["status"] == 413
    assert not click_log.clicks("abc")
