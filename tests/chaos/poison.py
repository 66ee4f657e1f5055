"""Jobs that raise, exit and hang, and messages that are none of ours: each ends alone (I5, I6).

The innocent jobs around them are all done, every death is told to the domain once, and afterwards both workers work.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from jobs.broker.messages import headers_of
from jobs.clock import DatabaseNow
from jobs.models import DeadLetter, Job
from jobs.transitions import Message
from tests.chaos.faults import fault
from tests.chaos.scene import Scene
from tests.fixtures_jobs import at_broker
from tests.probe.models import Burial, Call

NEVER_HEALS = ("permanent", "unknown", "system exit", "memory error", "several arguments", "unpicklable", "not text")
NO_JOB = 2**62
EMBED = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}


@fault("raises")
def raises(scene: Scene) -> None:
    for turn in range(3):
        for kind in NEVER_HEALS:
            scene.enqueue_poison(f"{kind} {turn}", ends="dead", task="probe.fail", kind=kind)
    _innocents_go_on(scene)
    scene.struck(Call.objects.count())
    _each_was_buried_once(scene)


@fault("exits", jobs=0.5)
def exits(scene: Scene) -> None:
    for task in ("probe.leave_its_process", "probe.kill_its_worker"):
        scene.enqueue_poison(task, ends="dead", task=task)
    _innocents_go_on(scene)
    scene.struck(Call.objects.count())
    crash_loops = Job.objects.filter(state="dead", reason="crash loop").count()
    scene.expect(crash_loops == len(scene.poison), f"{crash_loops} of {len(scene.poison)} are crash loops")
    _each_was_buried_once(scene)


@fault("hangs", jobs=0.5)
def hangs(scene: Scene) -> None:
    for number in range(6):
        scene.enqueue_poison(f"hangs {number}", ends="dead", task="probe.hang")
    _innocents_go_on(scene)
    scene.struck(Call.objects.count())


@fault("unknown task", jobs=0.5)
def unknown_task(scene: Scene) -> None:
    """It may be a rolling deploy: such jobs wait for a worker that knows them, and hold up nobody."""
    for number in range(10):
        scene.enqueue_poison(f"unknown {number}", ends="waiting", task="probe.unknown_to_workers")
    unknown = Job.objects.filter(task="probe.unknown_to_workers")
    _innocents_go_on(scene)
    scene.until(lambda: not unknown.filter(attempts=0).exists(), "each was tried")
    far = DatabaseNow() + timedelta(hours=1)
    # So that none is just on its way when they are counted.
    scene.until(
        lambda: unknown.filter(state="waiting").update(available_at=far) == len(scene.poison), "all of them wait"
    )
    scene.struck(sum(unknown.values_list("attempts", flat=True)))


@fault("wrong signature")
def wrong_signature(scene: Scene) -> None:
    """Arguments that the task does not take, from an older or a newer program."""
    for number in range(20):
        scene.enqueue_poison(f"wrong {number}", ends="dead", task="probe.charge", colour="green")
    _innocents_go_on(scene)
    scene.struck(Job.objects.filter(state="dead", reason="permanent error", error__startswith="TypeError").count())


@fault("malformed messages", short=True)
def malformed(scene: Scene) -> None:
    bodies = ("{nope", "[1]", "{}", "", '"text"', "[" * 1000, json.dumps([["seven", "default"], {}, EMBED]))
    _strangers_send(scene, [(body, _headers(note=number)) for number in range(3) for body in bodies])


@fault("messages of a wrong signature")
def wrong_messages(scene: Scene) -> None:
    bodies = (
        json.dumps([["a", "b", "c"], {}, EMBED]),
        json.dumps([[NO_JOB, "default"], {"key": "a"}, EMBED]),
        json.dumps([[NO_JOB, "elsewhere"], {}, EMBED]),
    )
    wrong_headers = ({"task": "probe.leave_a_mark"}, {"id": "x"}, {})
    body = json.dumps([[NO_JOB, "default"], {}, EMBED])
    _strangers_send(
        scene,
        [(body, _headers(note=number)) for number in range(3) for body in bodies]
        + [(body, headers) for headers in wrong_headers],
    )


@fault("huge messages", jobs=0.5)
def huge(scene: Scene) -> None:
    size = 2_000_000
    _strangers_send(scene, [("[" + "1," * (size // 2) + "1]", _headers(note=number)) for number in range(4)])


def _innocents_go_on(scene: Scene) -> None:
    scene.enqueue()
    scene.until_all_ended()
    scene.until_all_workers_work()


def _each_was_buried_once(scene: Scene) -> None:
    buried = Counter(Burial.objects.values_list("key", flat=True))
    scene.expect(buried == Counter(list(scene.poison)), f"the domain heard of {sum(buried.values())} deaths")


def _headers(**more: Any) -> dict[str, Any]:
    ours = headers_of(Message(NO_JOB, "default", "probe", "probe.leave_a_mark", 1, ""))
    return {**ours, **more}


def _strangers_send(scene: Scene, messages: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Messages among those of innocent jobs; each must be recorded, and only once."""
    scene.enqueue(scene.jobs // 2, prefix="before.")
    with (
        at_broker(scene.broker_url) as broker,
        broker.Producer(auto_declare=False) as producer,
    ):
        for body, headers in messages:
            producer.publish(
                body, exchange="", routing_key="probe", headers=headers,
                content_type="application/json", content_encoding="utf-8",
            )  # fmt: skip
    scene.note_the_time()
    scene.enqueue(scene.jobs // 2, prefix="behind.")
    strange = DeadLetter.objects.all()
    scene.until(lambda: strange.count() >= len(messages), "every message is recorded")
    scene.until_all_ended()
    scene.until_all_workers_work()
    scene.expect(strange.count() == len(messages), f"{strange.count()} records of {len(messages)} messages")
    scene.struck(strange.count())
