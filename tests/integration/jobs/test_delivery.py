"""I2, I3, I5, I7 on real relays, workers and brokers."""

from __future__ import annotations

from collections.abc import Callable

from jobs.models import DeadLetter, Job
from tests.probe.models import Burial, Call, Mark
from tests.processes import System, wait_for


def state_of(job_id: int) -> str:
    return Job.objects.values_list("state", flat=True).get(pk=job_id)


def test_a_committed_job_is_done_once(running_system: System, enqueued: Callable[..., int]) -> None:
    ids = [enqueued("probe.leave_a_mark", key=f"mark {number}") for number in range(50)]
    wait_for(lambda: Job.objects.filter(pk__in=ids, state="done").count() == 50)
    assert Mark.objects.count() == 50
    assert Mark.objects.values("key").distinct().count() == 50


def test_a_transient_failure_is_tried_again_from_the_ledger(
    running_system: System, enqueued: Callable[..., int]
) -> None:
    job_id = enqueued("probe.fail", key="a", kind="transient", times=2)
    wait_for(lambda: state_of(job_id) == "done")
    job = Job.objects.get(pk=job_id)
    assert (job.attempts, job.deliveries) == (2, 0)
    assert Call.objects.count() == 3
    assert Mark.objects.count() == 1


def test_a_job_that_never_succeeds_is_dead_after_its_attempts_and_the_domain_hears_of_it(
    running_system: System, enqueued: Callable[..., int]
) -> None:
    job_id = enqueued("probe.fail", key="a", kind="transient")
    wait_for(lambda: state_of(job_id) == "dead")
    job = Job.objects.get(pk=job_id)
    assert job.reason == "attempts used up"
    assert "the provider is out" in job.error
    assert Call.objects.count() == 3
    assert Burial.objects.count() == 1
    assert DeadLetter.objects.count() == 0
