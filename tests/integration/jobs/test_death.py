"""The end of a job that cannot heal: dead and told to the domain in one transaction, or neither."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from jobs import transitions
from jobs.claim import Claim
from jobs.dead.death import die
from jobs.dead.replay import replay_job
from jobs.models import Job
from tests.ledger import job, real_commits
from tests.probe.models import Burial, Mark

pytestmark = real_commits


def bury(claim: Claim, task: str, *, token: int | None = None) -> bool:
    return die(
        using="default",
        job_id=claim.job_id,
        token=claim.token if token is None else token,
        task=task,
        args=claim.args,
        reason="permanent error",
    )


def test_the_domain_hears_of_it_in_the_same_transaction(claimed: Callable[..., Claim]) -> None:
    claim = claimed("probe.fail", key="a", kind="permanent")
    with transaction.atomic():
        assert bury(claim, "probe.fail")
        assert Burial.objects.count() == 1
        transaction.set_rollback(True)
    assert (job(claim.job_id).state, Burial.objects.count()) == ("running", 0)
    assert bury(claim, "probe.fail")
    assert (job(claim.job_id).state, Burial.objects.count()) == ("dead", 1)
    assert job(claim.job_id).finished_at is not None


def test_a_run_that_no_longer_holds_the_lease_buries_nobody(claimed: Callable[..., Claim]) -> None:
    claim = claimed("probe.fail", key="a", kind="permanent")
    assert not bury(claim, "probe.fail", token=claim.token - 1)
    transitions.mark_done(using="default", job_id=claim.job_id, token=claim.token)
    assert not bury(claim, "probe.fail")
    assert (job(claim.job_id).state, Burial.objects.count()) == ("done", 0)


def publish_again(job_id: int) -> None:
    transitions.mark_due(using="default", queue="probe", window=1000, batch=1000)
    assert job(job_id).state == "published"


def test_a_run_that_was_displaced_does_not_bury_the_job_while_it_waits_for_its_next_claim(
    claimed: Callable[..., Claim],
) -> None:
    claim = claimed("probe.fail", key="a", kind="permanent")
    transitions.rescue(using="default", job_id=claim.job_id, token=claim.token, reason="lease ran out")
    publish_again(claim.job_id)
    assert job(claim.job_id).token == claim.token
    assert not bury(claim, "probe.fail")
    assert (job(claim.job_id).state, Burial.objects.count()) == ("published", 0)


def test_the_worker_of_a_job_that_was_replayed_meanwhile_wakes_up_too_late_to_bury_it(
    claimed: Callable[..., Claim],
) -> None:
    claim = claimed("probe.fail", key="a", kind="permanent")
    assert bury(claim, "probe.fail")
    replay_job(job_id=claim.job_id, generation=0, by="operator", reason="mended")
    publish_again(claim.job_id)
    assert not bury(claim, "probe.fail")
    assert (job(claim.job_id).state, Burial.objects.count()) == ("published", 1)


def test_a_message_for_an_unknown_task_does_not_bury_a_job_that_another_worker_runs(
    claimed: Callable[..., Claim],
) -> None:
    claim = claimed("probe.fail", key="a", kind="permanent")
    assert not die(
        using="default", job_id=claim.job_id, token=claim.token, task="probe.fail", args=claim.args,
        reason="unknown task", state="published",
    )  # fmt: skip
    assert job(claim.job_id).state == "running"


def do_nothing(*, key: str) -> None:
    """A body."""


def raise_an_error(*, key: str) -> None:
    Burial.objects.create(key=key)
    raise RuntimeError


def leave_the_process(*, key: str) -> None:
    Burial.objects.create(key=key)
    raise SystemExit(1)


def break_the_transaction(*, key: str) -> None:
    Burial.objects.create(key=key)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def promise_what_the_commit_will_refuse(*, key: str) -> None:
    Burial.objects.create(key=key)
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO probe_child (parent_id) VALUES (0)")


def take_other_arguments(*, order_id: int) -> None:
    raise AssertionError("never called")


@pytest.fixture
def deferred_constraint(transactional_db: None) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE probe_child (parent_id bigint REFERENCES probe_mark (id) DEFERRABLE INITIALLY DEFERRED)"
        )
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE probe_child")


@pytest.mark.parametrize(
    ("on_dead", "failure"),
    [
        (raise_an_error, "RuntimeError"),
        (leave_the_process, "SystemExit"),
        (break_the_transaction, "DataError"),
        (promise_what_the_commit_will_refuse, "IntegrityError"),
        (take_other_arguments, "TypeError"),
        ("tests.probe.tasks.nobody", "ImportError"),
    ],
)
def test_a_callback_that_fails_is_undone_and_noted_and_the_job_is_dead_anyway(
    on_dead: Any,
    failure: str,
    deferred_constraint: None,
    scratch_task: Callable[..., str],
    claimed: Callable[..., Claim],
) -> None:
    option = on_dead if isinstance(on_dead, str) else staticmethod(on_dead)  # a function would become a method
    claim = claimed(scratch_task(do_nothing, on_dead=option), key="a")
    assert bury(claim, job(claim.job_id).task)
    dead = Job.objects.get(pk=claim.job_id)
    assert dead.state == "dead"
    assert dead.reason == f"permanent error; its on_dead failed too: {failure}"
    assert Burial.objects.count() == 0


def test_a_task_that_this_process_does_not_know_dies_all_the_same(claimed: Callable[..., Claim]) -> None:
    claim = claimed("probe.unknown_to_workers", key="a")
    assert bury(claim, "probe.unknown_to_workers")
    assert (job(claim.job_id).state, Mark.objects.count()) == ("dead", 0)
