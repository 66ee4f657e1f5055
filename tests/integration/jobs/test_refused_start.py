"""Real processes that are started with a setting that could lose work end at once, with a sentence that says so."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from tests.processes import Ended, Process

UNSAFE = {"DJANGO_SETTINGS_MODULE": "tests.unsafe_settings"}
POOLED = {"DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_POOL_SIZE": "2"}
WORKER = ["-m", "celery", "-A", "config", "worker", "-Q", "probe"]
STARTS = {
    "worker": (WORKER, UNSAFE),
    "relay": (["manage.py", "relay"], UNSAFE),
    "any command": (["manage.py", "check"], UNSAFE),
    "worker with a pool": (WORKER, POOLED),
    "worker of threads": ([*WORKER, "--pool", "threads"], {"DJANGO_SETTINGS_MODULE": "tests.settings"}),
    "worker of one thread": ([*WORKER, "--pool", "solo"], {"DJANGO_SETTINGS_MODULE": "tests.settings"}),
}

ACKS_EARLY = "Messages would be acknowledged before their jobs were claimed."
HOW_TO_MEND_IT = "Set CELERY_TASK_ACKS_LATE to True."
NO_THREADS = "the pool probe, to which the queue probe belongs, that its jobs run in processes"
BOUNDED_POOLS = "No time limit holds with this pool"
NO_POOL = "unset DATABASE_POOL_SIZE for relay and workers"


@pytest.fixture(scope="module")
def refused() -> dict[str, Ended]:
    """Each process with its trap, all started at once since starting takes most of the time."""
    processes = {
        name: Process(name, [sys.executable, *command], {**os.environ, **environment}, ready="")
        for name, (command, environment) in STARTS.items()
    }
    try:
        return {name: Ended(process.wait(seconds=120), process.all_output()) for name, process in processes.items()}
    finally:
        for process in processes.values():
            process.kill()


@pytest.mark.parametrize("name", ["worker", "relay", "any command"])
def test_nothing_starts_with_a_setting_that_loses_work(name: str, refused: dict[str, Ended]) -> None:
    ended = refused[name]
    assert ended.status == 1
    assert ACKS_EARLY in ended.said
    assert HOW_TO_MEND_IT in ended.said
    assert "Traceback" not in ended.said


def test_no_worker_starts_with_a_pool_of_database_sessions(refused: dict[str, Ended]) -> None:
    assert refused["worker with a pool"].status == 1
    assert NO_POOL in refused["worker with a pool"].said


def test_no_worker_starts_that_could_not_end_a_job_that_hangs(refused: dict[str, Ended]) -> None:
    assert refused["worker of one thread"].status == 1
    assert BOUNDED_POOLS in refused["worker of one thread"].said


def test_no_worker_runs_jobs_in_threads_whose_pool_is_one_of_processes(refused: dict[str, Ended]) -> None:
    assert refused["worker of threads"].status == 1
    assert NO_THREADS in refused["worker of threads"].said


def test_no_relay_starts_with_a_pool_while_other_commands_of_a_web_process_may_have_one(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(settings.DATABASES["default"]["OPTIONS"], "pool", {"max_size": 2})
    call_command("check")
    with pytest.raises(ImproperlyConfigured, match=NO_POOL):
        call_command("relay")
