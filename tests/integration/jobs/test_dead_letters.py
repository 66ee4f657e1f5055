"""Unknown messages are kept whatever they are made of, and counted instead of kept twice."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.dead.letters import KEPT_CHARACTERS, keep_dead_letter
from jobs.models import DeadLetter
from tests.ledger import real_commits

pytestmark = real_commits


DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


HEADERS: list[Any] = [
    None,
    {},
    [1, 2],
    "text",
    {"nul": "a\x00b", "escaped nul": "\\u0000", "\x00": "\\\x00"},
    {"half a character": "\ud800"},
    {"numbers": [float("nan"), float("inf"), 10**30, 1.5, True, None]},
    {"bytes": b"\xff", b"key": 1, 7: {"nested": (1, 2)}},
    {"deep": DEEP},
    {"long": "x" * 1_000_000},
]
BODIES: list[Any] = [b"", b"\xff\x00\xfe", "a\x00\ud800", memoryview(b"x"), None, 7, b"y" * 1_000_000]


@pytest.mark.parametrize(
    ("headers", "body"), [(headers, b"x") for headers in HEADERS] + [({}, body) for body in BODIES]
)
def test_any_message_is_kept_once_and_in_bounded_size(transactional_db: None, headers: Any, body: Any) -> None:
    for _ in range(3):
        keep_dead_letter(queue="probe", reason="a test", headers=headers, body=body)
    letter = DeadLetter.objects.get()
    assert letter.times_seen == 3
    assert letter.last_seen_at >= letter.first_seen_at
    assert len(letter.body) <= KEPT_CHARACTERS
    assert len(str(letter.headers)) <= 2 * KEPT_CHARACTERS


def test_another_body_another_header_or_another_queue_is_another_message(transactional_db: None) -> None:
    for queue, headers, body in [("a", {"id": "1"}, b"x"), ("a", {"id": "1"}, b"y"), ("a", {"id": "2"}, b"x")]:
        keep_dead_letter(queue=queue, reason="a test", headers=headers, body=body)
    keep_dead_letter(queue="b", reason="a test", headers={"id": "1"}, body=b"x")
    assert DeadLetter.objects.count() == 4


def test_long_bodies_that_differ_at_their_end_are_two_messages(transactional_db: None) -> None:
    for end in (b"1", b"2"):
        keep_dead_letter(queue="a", reason="a test", headers={}, body=b"x" * 100_000 + end)
    assert DeadLetter.objects.count() == 2


def test_what_a_broker_adds_on_the_way_does_not_make_it_another_message(transactional_db: None) -> None:
    keep_dead_letter(queue="a", reason="a test", headers={"id": "1"}, body=b"x")
    keep_dead_letter(
        queue="a", reason="a test", headers={"id": "1", "x-death": [{"count": 1}], "redelivered": True}, body=b"x"
    )
    assert DeadLetter.objects.get().times_seen == 2
