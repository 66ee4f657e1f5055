"""PostgreSQL drops sessions under relay and workers: nothing is lost, repeated or blamed on a job."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection

from jobs.models import DeadLetter, Job
from tests.fixtures_jobs import at_broker
from tests.ledger import assert_marked_once, job, real_commits, wait_until_done
from tests.probe.models import Call
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


END_SESSION = "SELECT pg_terminate_backend(%s, 5000)"
END_ALL_OTHER_SESSIONS = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def end_all_other_sessions() -> None:
    with connection.cursor() as cursor:
        cursor.execute(END_ALL_OTHER_SESSIONS)


def test_a_session_lost_while_its_job_runs_uses_up_no_attempt(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    job_id = enqueued("probe.call", key="a", seconds=0.5)
    wait_for(lambda: Call.objects.exists(), what="it runs")
    with connection.cursor() as cursor:
        cursor.execute(END_SESSION, [job(job_id).backend_pid])
    wait_until_done([job_id], seconds=30)
    assert job(job_id).attempts == 0
    assert_marked_once(["a"])


def test_sessions_lost_between_jobs_are_opened_again_before_the_next_claim(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    wait_until_done([enqueued("probe.leave_a_mark", key=f"before {number}") for number in range(20)])
    seen = {worker: len(worker.output) for worker in live.workers}
    end_all_other_sessions()
    keys = [f"after {number}" for number in range(20)]
    after = [enqueued("probe.leave_a_mark", key=key) for key in keys]
    wait_until_done(after)
    assert_marked_once(keys)
    assert set(Job.objects.filter(pk__in=after).values_list("attempts", "token")) == {(0, 1)}
    assert not any("database_away" in line for worker in live.workers for line in worker.output[seen[worker] :])


def test_sessions_lost_again_and_again_lose_and_repeat_nothing(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    keys = [str(number) for number in range(100)]
    jobs = [enqueued("probe.call", key=key, seconds=0.02) for key in keys]
    for progress in range(15, 90, 15):
        wait_for(lambda at_least=progress: Job.objects.filter(state="done").count() >= at_least)
        end_all_other_sessions()
    wait_until_done(jobs, seconds=40)
    assert_marked_once(keys)
    assert not Job.objects.filter(attempts__gt=0).exists()


def test_a_list_item_that_is_no_message_is_recorded_although_the_session_was_lost_since_the_last_one(
    live: LiveSystem, live_broker: str
) -> None:
    if live_broker.startswith("amqp"):
        return  # what a worker could not record there waits in the dead-letter queue
    letters = DeadLetter.objects.filter(reason="envelope is not JSON")
    with at_broker(live_broker) as broker:
        for number in range(4):  # both workers get some
            broker.default_channel.client.lpush("probe", f"no {number}")
        wait_for(lambda: letters.count() == 4, what="they are recorded")
        end_all_other_sessions()
        for number in range(4, 8):
            broker.default_channel.client.lpush("probe", f"no {number}")
        wait_for(lambda: letters.count() == 8, what="those that came later are, too")
