"""The shape of a message, written and read, and what a stranger may have sent instead."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.broker.messages import MalformedMessage, body_of, headers_of, properties_of, read_message
from jobs.transitions import Message

OURS = Message(7, "default", "", "probe.call", 3, "request-1")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def test_what_is_written_is_read_back() -> None:
    assert read_message(headers_of(OURS), body_of(OURS), "application/json") == OURS


def test_two_publications_of_one_job_are_told_apart_by_their_id() -> None:
    again = Message(7, "default", "", "probe.call", 4, "request-1")
    assert headers_of(OURS)["id"] != headers_of(again)["id"]
    assert properties_of(OURS)["correlation_id"] == headers_of(OURS)["id"]
    assert properties_of(OURS)["delivery_mode"] == 2


def test_a_message_carries_an_id_and_an_alias_and_no_arguments() -> None:
    args, kwargs, _ = json.loads(body_of(OURS))
    assert (args, kwargs) == ([7, "default"], {})


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        (None, "no headers"),
        ([], "no headers"),
        ("text", "no headers"),
        ({}, "no task name or no id"),
        ({"task": "probe.call"}, "no task name or no id"),
        ({"id": "1"}, "no task name or no id"),
        ({"task": ["probe.call"], "id": "1"}, "no task name or no id"),
        ({"task": "probe.call", "id": 1}, "no task name or no id"),
    ],
)
def test_headers_that_are_not_ours(headers: Any, reason: str) -> None:
    with pytest.raises(MalformedMessage, match=reason):
        read_message(headers, body_of(OURS), "application/json")


@pytest.mark.parametrize("content_type", [None, "", "application/x-python-serialize", "text/plain", [], {}])
def test_a_content_type_that_is_not_ours(content_type: Any) -> None:
    with pytest.raises(MalformedMessage, match="content type"):
        read_message(headers_of(OURS), body_of(OURS), content_type)


@pytest.mark.parametrize(
    "body",
    [
        None,
        7,
        10**10,
        [1],
        {},
        b"",
        b"\xff",
        "\ud800",
        "[1]",
        "{}",
        "null",
        "[" * 4000,
        "x" * 5000,
        '[[7, "default"], {}]',
        '[[7, "default"], {}, null]',
        '[[7, "default"], {"key": "a"}, {}]',
        "[[7], {}, {}]",
        '[[7, "default", 1], {}, {}]',
        '[["7", "default"], {}, {}]',
        '[[true, "default"], {}, {}]',
        '[[0, "default"], {}, {}]',
        '[[-7, "default"], {}, {}]',
        '[[7.0, "default"], {}, {}]',
        '[[9223372036854775808, "default"], {}, {}]',
        '[[%s, "default"], {}, {}]' % ("9" * 4000),
        '[[NaN, "default"], {}, {}]',
        "[[7, null], {}, {}]",
        '["ab", {}, {}]',
    ],
    ids=lambda body: repr(body)[:40],
)
def test_bodies_that_are_not_ours(body: Any) -> None:
    with pytest.raises(MalformedMessage):
        read_message(headers_of(OURS), body, "application/json")


@given(headers=JSON, body=JSON | st.binary(), content_type=st.none() | st.text() | st.just("application/json"))
def test_nothing_that_anybody_sends_raises_anything_else(headers: Any, body: Any, content_type: Any) -> None:
    for candidate in (headers, {**headers_of(OURS), **headers} if isinstance(headers, dict) else headers_of(OURS)):
        for text in (body, json.dumps(body) if not isinstance(body, bytes) else body):
            try:
                message = read_message(candidate, text, content_type)
            except MalformedMessage:
                continue
            assert message.job_id > 0


@pytest.mark.parametrize("number", [None, "3", True, -1, 0, 2**31, 3.0, []])
def test_a_publish_number_that_cannot_be_one_is_none_at_all(number: Any) -> None:
    message = read_message({**headers_of(OURS), "publish_number": number}, body_of(OURS), "application/json")
    assert message.publish_number in {0, 1}  # 1 is what True is
