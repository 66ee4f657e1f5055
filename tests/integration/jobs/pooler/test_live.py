"""Relay, workers and whoever enqueues, all behind a transaction pooler: nothing is lost or repeated."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from jobs.enqueue import enqueue
from jobs.models import Job
from tests.ledger import assert_marked_once, job, real_commits, wait_for_state, wait_until_done
from tests.pgbouncer import PgBouncer
from tests.probe.models import Call, Mark
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


def test_jobs_are_done_once_and_in_order(pooled: LiveSystem) -> None:
    keys = [str(number) for number in range(60)]
    with transaction.atomic():
        jobs = [
            enqueue(task="probe.start_another", args={"key": key}, ordering_key="one after the other" if odd else "")
            for key, odd in ((key, int(key) % 2) for key in keys)
        ]
    wait_until_done(jobs)
    wait_for(lambda: Job.objects.filter(state="done").count() == 2 * len(keys), what="what they started is done")
    assert_marked_once([*keys, *(f"{key}, continued" for key in keys)])
    in_order = Job.objects.exclude(ordering_key="").order_by("sequence").values_list("finished_at", flat=True)
    assert list(in_order) == sorted(in_order)
    assert not Job.objects.exclude(backend_pid=None).exists()


def test_the_job_of_a_killed_worker_comes_back_when_its_lease_is_over(
    pooled: LiveSystem, enqueued: Callable[..., int]
) -> None:
    job_id = enqueued("probe.call", key="a", seconds=1.5)
    wait_for(lambda: Call.objects.exists(), what="it runs")
    pooled.worker_of(Call.objects.get().worker_pid).kill()
    wait_for(lambda: Call.objects.count() == 2, what="it runs again")
    row = job(job_id)
    assert row.started_at >= row.created_at + (row.lease_until - row.started_at)
    wait_until_done([job_id])
    assert_marked_once(["a"])


def test_the_job_of_a_paused_worker_comes_back_and_its_late_result_counts_for_nothing(
    pooled: LiveSystem, enqueued: Callable[..., int]
) -> None:
    job_id = enqueued("probe.call", key="a", seconds=1)
    wait_for(lambda: Call.objects.exists(), what="it runs")
    paused = pooled.worker_of(Call.objects.get().worker_pid)
    paused.pause()
    done = wait_for_state(job_id, "done")
    assert done.token == 2
    paused.resume()
    paused.wait_for_output("lease_lost")
    assert Mark.objects.count() == 1


def test_jobs_go_on_when_the_pooler_drops_its_sessions(
    pooled: LiveSystem, enqueued: Callable[..., int], behind_the_pooler: PgBouncer
) -> None:
    keys = [str(number) for number in range(40)]
    jobs = [enqueued("probe.call", key=key, seconds=0.02) for key in keys]
    for done in (5, 20):
        wait_for(lambda at_least=done: Job.objects.filter(state="done").count() >= at_least, what="some are done")
        behind_the_pooler.command("RECONNECT")
    wait_until_done(jobs)
    assert_marked_once(keys)
