"""``manage.py retire_jobs``: what the relay does by and by, at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from datetime import date
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from jobs.clock import database_now
from jobs.history.partitions import make_partition, months_with_partition
from jobs.management.commands import retire_jobs as command
from jobs.models import Job, JobHistory

pytestmark = pytest.mark.usefixtures("no_partitions")

Ended = Callable[..., Job]


def retire(*options: str) -> str:
    out = StringIO()
    call_command("retire_jobs", *options, stdout=out)
    return out.getvalue()


def test_it_moves_all_that_is_due_in_batches_and_says_how_many(ended: Ended, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "BATCH", 2)
    for _ in range(5):
        ended()
    fresh = ended(at=database_now())
    assert "Moved to the history: 5 jobs." in retire()
    assert (Job.objects.get().pk, JobHistory.objects.count()) == (fresh.pk, 5)
    assert "Moved to the history: 0 jobs." in retire()


def test_a_dry_run_says_how_many_and_changes_nothing(ended: Ended) -> None:
    ended()
    assert retire("--dry-run") == "Would be moved to the history: 1 job. Nothing was changed.\n"
    assert (Job.objects.count(), months_with_partition()) == (1, [])


def test_it_drops_what_is_too_old_and_makes_what_will_be_needed(db: None) -> None:
    make_partition(month=date(2000, 3, 1))
    said = retire()
    assert "Partition dropped, with what ended in it: 2000-03." in said
    assert said.count("Partition made: ") == len(months_with_partition()) == 2


def test_ctrl_c_lets_the_batch_end_and_the_same_command_goes_on(ended: Ended, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "BATCH", 2)
    for _ in range(6):
        ended()
    advance = command.Progress.advance

    def interrupt(progress: Any, done: int) -> None:
        advance(progress, done)
        if done == 4:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(command.Progress, "advance", interrupt)
    with pytest.raises(CommandError, match=r"^Stopped\. Moved: 4 jobs\.") as stopped:
        retire()
    assert stopped.value.returncode == command.INTERRUPTED
    assert (Job.objects.count(), JobHistory.objects.count()) == (2, 4)
    assert "Moved to the history: 2 jobs." in retire()


def test_a_database_that_the_settings_do_not_know_is_refused() -> None:
    with pytest.raises(CommandError, match="nowhere"):
        retire("--database", "nowhere")


def test_jobs_about_tells_which_were_removed(ended: Ended) -> None:
    job = ended(attempts=1)
    retire()
    out = StringIO()
    call_command("jobs_about", job.subject, "--watch", stdout=out)
    assert out.getvalue() == f"#{job.pk}  probe.leave_a_mark  done  failed attempts: 1  (removed)\n"
