"""The bounds of a queue must fit together, or the start is refused."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.broker import topology
from jobs.queues import MAX_LENGTH, Queue, all_queues, queue_named


@pytest.mark.parametrize(
    "limits",
    [
        {"soft_limit_seconds": 60, "hard_limit_seconds": 60},
        {"hard_limit_seconds": 75, "lease_seconds": 75},
        {"hard_limit_seconds": 80, "lease_seconds": 75},
    ],
)
def test_a_soft_limit_ends_before_the_hard_one_and_both_before_the_lease(limits: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Queue a: soft limit < hard limit < lease"):
        Queue("a", purpose="a test", **limits)


@pytest.mark.parametrize("window", [0, -1, MAX_LENGTH // 4 + 1])
def test_a_window_is_at_least_one_and_at_most_a_quarter_of_what_the_broker_takes(window: int) -> None:
    with pytest.raises(ValueError, match="Queue a: its window"):
        Queue("a", purpose="a test", window=window)


def test_queues_are_found_by_their_name() -> None:
    assert [queue_named(queue.name) for queue in all_queues()] == list(all_queues())
    with pytest.raises(KeyError):
        queue_named("nobody")


def test_every_queue_at_the_broker_keeps_what_it_cannot_deliver() -> None:
    for queue in topology.work_queues(all_queues()):
        assert queue.queue_arguments == {
            "x-queue-type": "quorum",
            "x-delivery-limit": 20,
            "x-dead-letter-exchange": "ledger.dead",
            "x-dead-letter-strategy": "at-least-once",
            "x-overflow": "reject-publish",
            "x-max-length": 20_000,
        }
        assert queue.durable
