"""Messages that are none of ours: recorded once, and no worker stops over them (I5, I6)."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from jobs.broker.messages import headers_of
from jobs.models import DeadLetter, Job
from jobs.transitions import Message
from tests.fixtures_jobs import at_broker, messages_ready
from tests.ledger import assert_marked_once, new_dead_letters, real_commits, wait_for_state, wait_until_done
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


NO_JOB = 2**62
EMBED: dict[str, Any] = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}


def headers(*, without: str = "", **other: Any) -> dict[str, Any]:
    ours = headers_of(Message(NO_JOB, "default", "probe", "probe.leave_a_mark", 1, ""))
    return {name: value for name, value in {**ours, "poison": "yes", **other}.items() if name != without}


def body(args: Any = (NO_JOB, "default"), kwargs: Any = None, embed: Any = None) -> str:
    return json.dumps([args, kwargs or {}, EMBED if embed is None else embed])


@dataclass(frozen=True)
class Poison:
    body: str | bytes
    headers: dict[str, Any] = field(default_factory=headers)
    content_type: str = "application/json"
    content_encoding: str = "utf-8"

    def send(self, url: str) -> None:
        with at_broker(url) as broker, broker.Producer(auto_declare=False) as producer:
            producer.publish(
                self.body,
                exchange="",
                routing_key="probe",
                headers=self.headers,
                content_type=self.content_type,
                content_encoding=self.content_encoding,
            )


MALFORMED = "body is not [[job, database], {}, {…}]"
# What is sent, and the reason that staff read.
POISON = {
    "a list": (Poison("[1]"), MALFORMED),
    "an object": (Poison("{}"), MALFORMED),
    "nothing": (Poison(""), MALFORMED),
    "not JSON": (Poison("{nope"), MALFORMED),
    "not UTF-8": (Poison(b"\xff\xfe\x00", content_encoding="binary"), MALFORMED),
    "too deep": (Poison("[" * 4000), MALFORMED),
    "a word for an id": (Poison(body(["seven", "default"])), MALFORMED),
    "a truth for an id": (Poison(body([True, "default"])), MALFORMED),
    "an id beyond all ids": (Poison(body([10**30, "default"])), MALFORMED),
    "keyword arguments": (Poison(body(kwargs={"key": "a"})), MALFORMED),
    "arguments of a plain task": (Poison(body(["a", "b", "c"])), MALFORMED),
    "headers that no column takes": (
        Poison("[]", headers=headers(note="\x00", nested={"deep": [{"er": "\\u0000"}]})),
        MALFORMED,
    ),
    "large": (Poison("[" + "1," * 5_000 + "1]"), "body is too large"),
    "pickle": (
        Poison(pickle.dumps([1]), content_type="application/x-python-serialize", content_encoding="binary"),
        "content type is not JSON",
    ),
    "no id": (Poison(body(), headers=headers(without="id")), "no task name or no id"),
    "an id that is a number": (Poison(body(), headers=headers(id=7)), "no task name or no id"),
    "no task": (Poison(body(), headers=headers(without="task")), "no task name or no id"),
    "an unknown database": (Poison(body([1, "elsewhere"])), "unknown database"),
    "a task of Celery's own": (Poison(body(), headers=headers(task="celery.accumulate")), "unknown job"),
}


def times_seen(url: str) -> int:
    """How often a message that workers refuse is recorded: RabbitMQ's collector meets it, too, and counts in one row.

    A test waits for it, or the collector's record would come in the next one.
    """
    return 2 if url.startswith("amqp") else 1


def test_messages_that_are_not_ours_are_recorded_once_each_and_work_goes_on(
    live: LiveSystem, live_broker: str, enqueued: Callable[..., int]
) -> None:
    for poison, _ in POISON.values():
        poison.send(live_broker)
    letters = DeadLetter.objects.filter(headers__poison="yes", times_seen=times_seen(live_broker))
    wait_for(lambda: letters.count() == len(POISON), what="every message is recorded")
    assert DeadLetter.objects.filter(headers__poison="yes").count() == len(POISON)
    assert Counter(letter.reason for letter in letters) == Counter(reason for _, reason in POISON.values())
    assert_both_workers_work(live, enqueued)
    assert messages_ready(live_broker, "probe") == 0


@pytest.mark.parametrize(
    "poison",
    [
        Poison("[" + "1," * 500_000 + "1]"),
        Poison(body(), headers={}),
        Poison(body(), headers=headers(compression="application/x-gzip")),
    ],
    ids=["huge", "no headers", "a broken compression"],
)
def test_a_message_that_cannot_even_be_read_is_recorded_and_work_goes_on(
    poison: Poison, live: LiveSystem, live_broker: str, enqueued: Callable[..., int]
) -> None:
    poison.send(live_broker)
    letters = new_dead_letters()
    wait_for(letters.filter(times_seen=times_seen(live_broker)).exists, what="the message is recorded")
    assert_both_workers_work(live, enqueued)
    assert letters.count() == 1


def test_a_message_for_an_unknown_job_is_recorded_once(
    live: LiveSystem, live_broker: str, enqueued: Callable[..., int]
) -> None:
    for _ in range(3):
        Poison(body()).send(live_broker)
    letters = DeadLetter.objects.filter(body__contains=str(NO_JOB))
    wait_for(letters.filter(times_seen=3).exists, what="all three are counted")
    assert [letter.reason for letter in letters.all()] == ["unknown job"]
    assert_both_workers_work(live, enqueued)


ADDRESS = '"delivery_info": {"exchange": "", "routing_key": "probe"}'
ITEMS = {
    b"[1]": "no message envelope",
    b"{}": "no message envelope",
    b"7": "no message envelope",
    b"null": "no message envelope",
    b'"text"': "no message envelope",
    b"not JSON": "envelope is not JSON",
    b"\xff\x00": "envelope is not JSON",
    b"[" * 5000: "envelope is not JSON",
    b"x" * 100_000: "envelope is too large",
    b'{"properties": {}}': "no message envelope",
    b'{"properties": []}': "no message envelope",
    b'{"properties": {"delivery_tag": "t"}}': "no message envelope",
    b'{"properties": {"delivery_tag": "t", "delivery_info": {}}}': "no message envelope",
    b'{"properties": {"delivery_tag": ["t"], %s}}' % ADDRESS.encode(): "no message envelope",
    b'{"body": 7, "properties": {"delivery_tag": "t", %s}}' % ADDRESS.encode(): "no message envelope",
    b'{"headers": [1], "properties": {"delivery_tag": "t", %s}}' % ADDRESS.encode(): "no message envelope",
    b'{"body": "abcde", "properties": {"delivery_tag": "t", "body_encoding": "base64", %s}}'
    % ADDRESS.encode(): "body is not base64",
    b'{"body": "x", "properties": {"delivery_tag": "t", "body_encoding": "rot13", %s}}'
    % ADDRESS.encode(): "body has an unknown encoding",
}


def test_list_items_that_are_no_envelopes_are_recorded_once_each_and_work_goes_on(
    live: LiveSystem, live_broker: str, enqueued: Callable[..., int]
) -> None:
    if live_broker.startswith("amqp"):
        return  # only on Redis can anybody write what the client takes for an envelope
    with at_broker(live_broker) as broker:
        broker.default_channel.client.lpush("probe", *ITEMS)
    letters = new_dead_letters().filter(queue="probe", times_seen=1)
    wait_for(lambda: letters.count() == len(ITEMS), what="every item is recorded")
    assert Counter(letter.reason for letter in letters) == Counter(ITEMS.values())
    assert_both_workers_work(live, enqueued)


def test_a_broken_control_message_stops_no_worker(
    live: LiveSystem, live_broker: str, enqueued: Callable[..., int]
) -> None:
    if live_broker.startswith("amqp"):
        Poison("[1]").send(live_broker)
    else:
        with at_broker(live_broker) as broker:
            database = broker.virtual_host or broker.transport.default_connection_params.get("virtual_host", "0")
            for junk in ("[1]", "{}", "nope"):
                broker.default_channel.client.publish(f"/{str(database).lstrip('/')}.celery.pidbox", junk)
    assert_both_workers_work(live, enqueued)


def test_what_a_stranger_adds_to_a_message_is_not_obeyed(live: LiveSystem, live_broker: str) -> None:
    """An ETA would keep the message in a worker's memory, a callback would start a task, a limit end the job."""
    job = Job.objects.create(
        task="probe.leave_a_mark", args={"key": "a"}, queue="probe", state="published", publish_number=1
    )
    callback = {"task": "probe.leave_a_mark", "args": [], "kwargs": {"key": "b"}, "options": {}}
    Poison(
        body([job.pk, "default"], embed={**EMBED, "callbacks": [callback], "chain": [callback]}).encode(),
        headers=headers(
            eta="2099-01-01T00:00:00+00:00", expires="1999-01-01T00:00:00+00:00", timelimit=["a", "b"], shadow=7,
            retries="many", group={}, root_id=[], argsrepr=None, stamped_headers=["x"], replaced_task_nesting="x",
        ),
        content_encoding="klingon",
    ).send(live_broker)  # fmt: skip
    wait_for_state(job.pk, "done")
    assert_marked_once(["a"])
    assert Job.objects.count() == 1


def assert_both_workers_work(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    wanted = {worker.name for worker in live.workers}
    seen: set[str] = set()

    def both() -> bool:
        wait_until_done([enqueued("probe.call", key="good", seconds=0.02) for _ in range(6)])
        seen.update(name.partition("@")[0] for name in Job.objects.values_list("worker", flat=True).distinct())
        return wanted <= seen

    wait_for(both, what="both workers work")
    assert all(worker.alive for worker in live.workers)
