"""A pause holds what has not begun, loses nothing, and ends when somebody says so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from jobs import transitions
from jobs.audit import write_down_target
from jobs.claim import Claim
from jobs.dead.replay import replay_job
from jobs.enqueue import enqueue
from jobs.errors import NotInTransaction, ReasonMissing, UnknownTarget
from jobs.flow.pause import Paused, Resumed, pause, resume
from jobs.models import Job, Pause, StaffAction
from jobs.relay.loop import Relay
from jobs.rescue import rescue_runs
from jobs.worker.execution import Outcome
from tests.fixtures_clock import Clock
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_flow import FIRST_WAIT, NAME, Provider, breaker
from tests.fixtures_relay import enqueue_many
from tests.ledger import job, real_commits
from tests.probe.models import Mark

pytestmark = real_commits

QUEUE = {"kind": "queue", "name": "probe", "by": "operator", "reason": "the renderer is broken"}
DESTINATION = {"kind": "destination", "name": NAME, "by": "operator", "reason": "they asked us to"}


def states(job_ids: list[int]) -> list[str]:
    return list(Job.objects.filter(pk__in=job_ids).order_by("pk").values_list("state", flat=True))


def test_a_paused_queue_hands_nothing_out_until_it_is_resumed(relay_here: Relay) -> None:
    assert pause(**QUEUE) == Paused(changed=True, waiting=0, running=0, taken_back=0)
    job_ids = enqueue_many(3)
    assert relay_here.run_once() == 0
    assert resume(**QUEUE) == Resumed(changed=True, probes=False, waiting=3)
    relay_here._next_limits = 0.0
    assert relay_here.run_once() == 3
    assert states(job_ids) == ["published"] * 3


def test_what_was_published_waits_again_and_its_message_starts_nothing(
    published: Callable[..., int], work: Callable[[int], Outcome]
) -> None:
    job_id = published("probe.leave_a_mark", key="a")
    assert pause(**QUEUE).taken_back == 1
    assert (job(job_id).state, job(job_id).gate, job(job_id).reason) == ("waiting", "ready", "paused")
    assert work(job_id) is Outcome.SETTLED
    assert (job(job_id).state, Mark.objects.count()) == ("waiting", 0)


def test_what_runs_is_left_to_end(claimed: Callable[..., Claim]) -> None:
    claim = claimed()
    assert pause(**QUEUE) == Paused(changed=True, waiting=0, running=1, taken_back=0)
    assert transitions.mark_done(using="default", job_id=claim.job_id, token=claim.token)


def test_what_a_relay_marked_in_a_race_is_taken_back_by_its_next_look(relay_here: Relay) -> None:
    pause(**QUEUE)
    job_ids = enqueue_many(2)
    transitions.mark_due(using="default", queue="probe", window=10, batch=10)  # its limits were read before
    relay_here.run_once()
    assert states(job_ids) == ["waiting"] * 2


def test_retries_rescues_and_replays_wait_too(
    relay_here: Relay, claimed: Callable[..., Claim], dead_jobs: DeadJobs, clock: Clock
) -> None:
    retried, lost = claimed(key="a"), claimed(key="b")
    (dead,) = dead_jobs()
    pause(**QUEUE)
    transitions.try_again(claim=retried, delay_seconds=1, error="", traceback="")
    replay_job(job_id=dead.pk, generation=0, by="operator", reason="mended")
    clock.advance(timedelta(minutes=5))
    rescue_runs(using="default")
    assert relay_here.run_once() == 0
    assert states([retried.job_id, lost.job_id, dead.pk]) == ["waiting"] * 3
    resume(**QUEUE)
    relay_here._next_limits = 0.0
    assert relay_here.run_once() == 3


def test_a_paused_destination_holds_its_own_jobs_only(provider: Provider) -> None:
    given = provider.publish("a")
    found = pause(**DESTINATION)
    assert (found.changed, found.taken_back, found.waiting) == (True, 1, 1)
    (other,) = enqueue_many(1)
    assert provider.hand_out() == [other]
    resume(**DESTINATION)
    assert provider.hand_out() == given


def test_jobs_of_a_key_that_were_taken_back_still_go_in_their_order(relay_here: Relay) -> None:
    first, second = enqueue_many(2, ordering_key="order 1")
    relay_here.run_once()
    pause(**QUEUE)
    resume(**QUEUE)
    relay_here._next_limits = 0.0
    relay_here.run_once()
    assert [(job(number).state, job(number).gate) for number in (first, second)] == [
        ("published", "ready"),
        ("waiting", "blocked"),
    ]


def test_an_enqueue_still_joins_the_job_of_its_unique_key_that_was_taken_back(relay_here: Relay) -> None:
    (given,) = enqueue_many(1, unique_key="availability of show 7")
    relay_here.run_once()
    pause(**QUEUE)
    with transaction.atomic():
        assert enqueue(task="probe.leave_a_mark", args={"key": "0"}, unique_key="availability of show 7") == given


def test_pausing_twice_changes_nothing_and_says_so(provider: Provider) -> None:
    pause(**QUEUE)
    again = pause(**{**QUEUE, "by": "somebody else", "reason": "no idea"})
    assert not again.changed
    assert [(row.by, row.reason) for row in Pause.objects.all()] == [("operator", "the renderer is broken")]
    assert resume(**QUEUE).changed
    assert not resume(**QUEUE).changed
    trail = StaffAction.objects.order_by("pk").values_list("action", "target", "by", "reason", "job_id")
    assert list(trail) == [
        ("pause", "queue probe", "operator", "the renderer is broken", None),
        ("resume", "queue probe", "operator", "the renderer is broken", None),
    ]


@pytest.mark.parametrize("act", [pause, resume])
@pytest.mark.parametrize("kind", ["queue", "destination"])
def test_a_name_that_no_table_lists_is_refused_with_those_that_are(act: Callable[..., object], kind: str) -> None:
    with pytest.raises(UnknownTarget, match=f"There is no {kind} “nowhere”. There are: .*(messages|mail)"):
        act(kind=kind, name="nowhere", by="operator", reason="why")
    assert not Pause.objects.exists()


@pytest.mark.parametrize("act", [pause, resume])
def test_nobody_pauses_or_resumes_without_a_name_and_a_reason(act: Callable[..., object]) -> None:
    with pytest.raises(ReasonMissing):
        act(**{**QUEUE, "reason": " "})
    assert not StaffAction.objects.exists()


def test_a_pause_of_what_the_table_lists_no_more_can_be_ended(db: None) -> None:
    Pause.objects.create(kind="destination", name="gone", by="operator", reason="why")
    assert resume(kind="destination", name="gone", by="operator", reason="it is gone").changed
    assert not Pause.objects.exists()


def test_the_trail_is_written_with_the_change_or_not_at_all(db: None) -> None:
    with pytest.raises(NotInTransaction):
        write_down_target(action=StaffAction.Action.PAUSE, target="queue probe", by="operator", reason="why")


def test_a_resumed_destination_is_tried_at_once_though_its_breaker_is_open(provider: Provider) -> None:
    provider.go_away()
    waiting = provider.enqueue("a")
    pause(**DESTINATION)
    assert provider.hand_out() == []
    assert resume(**DESTINATION) == Resumed(changed=True, probes=True, waiting=1)
    probe_at, now = breaker().probe_at, breaker().changed_at
    assert probe_at is not None
    assert (probe_at - now).total_seconds() < FIRST_WAIT
    assert provider.hand_out() == waiting


def command(*words: str) -> str:
    out = StringIO()
    call_command(*words, "--by", "operator", "--reason", "because", stdout=out)
    return out.getvalue()


def test_the_commands_say_what_happened(published: Callable[..., int], claimed: Callable[..., Claim]) -> None:
    claimed()
    published("probe.leave_a_mark", key="b")
    assert command("pause", "--queue", "probe") == (
        "queue probe: paused. 1 ready jobs wait, 1 of them taken back; 1 still run.\n"
    )
    assert "was paused already; nothing was changed" in command("pause", "--queue", "probe")
    assert command("resume", "--queue", "probe") == "queue probe: resumed. 1 jobs are ready.\n"
    assert "was not paused" in command("resume", "--queue", "probe", "--database", "default")


def test_the_commands_refuse_what_they_do_not_know(db: None) -> None:
    with pytest.raises(CommandError, match="There is no destination"):
        command("pause", "--destination", "nowhere")
    with pytest.raises(CommandError, match="not allowed with"):
        command("pause", "--queue", "probe", "--destination", "mail")
