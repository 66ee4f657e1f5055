"""``manage.py replay_dlq`` over many jobs: each once, though it is paced, interrupted, or called by two at once."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection, connections

from jobs import session
from jobs.clock import database_now
from jobs.dead import selection
from jobs.management import dead_jobs as command
from jobs.management.progress import Progress
from jobs.models import Job, StaffAction
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_jobs import broker_url, environment
from tests.ledger import job, real_commits
from tests.processes import Process, wait_for, wait_for_end
from tests.replays import WHO_AND_WHY, numbers, replay, replayed, run

pytestmark = real_commits

# Many, and several at once


def test_the_look_before_takes_as_many_statements_for_many_jobs_as_for_one(
    dead_jobs: DeadJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []

    def count(using: str, statement: str, parameters: dict[str, Any]) -> Any:
        statements.append(statement)
        return session.run(using, statement, parameters)

    monkeypatch.setattr(selection, "run", count)
    dead_jobs(1)
    run("--dry-run")
    for_one = len(statements)
    dead_jobs(1000)
    run("--dry-run")
    assert len(statements) == 2 * for_one


def test_an_end_between_two_batches_keeps_what_is_done_and_leaves_the_rest(
    dead_jobs: DeadJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "BATCH", 4)
    dead = dead_jobs(10)
    shown: list[int] = []

    def stop_at_eight(progress: Any, done: int) -> None:
        shown.append(done)
        if done == 8:
            raise KeyboardInterrupt

    monkeypatch.setattr(command.Progress, "advance", stop_at_eight)
    with pytest.raises(CommandError, match=r"Stopped\. Replayed: 8 jobs of 10\."):
        replay()
    assert shown == [4, 8]
    assert replayed() == numbers(dead[:8])
    monkeypatch.undo()
    assert "Replayed: 2 jobs of 2." in replay()


def test_a_job_that_dies_again_during_the_run_is_not_replayed_by_the_same_run(
    dead_jobs: DeadJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "BATCH", 2)
    dead_jobs(5)
    again = command.Progress.advance

    def die_at_once(progress: Any, done: int) -> None:
        Job.objects.filter(state="waiting").update(state="dead", finished_at=database_now())
        again(progress, done)

    monkeypatch.setattr(command.Progress, "advance", die_at_once)
    assert "Replayed: 5 jobs of 5." in replay()
    assert set(Job.objects.values_list("generation", flat=True)) == {1}


def test_a_job_whose_callback_fails_is_named_and_holds_up_no_other(
    dead_jobs: DeadJobs, scratch_task: Callable[..., str]
) -> None:
    def body(*, key: str) -> None: ...

    def fail_for_the_second(*, key: str) -> None:
        if key == "dead 1":
            raise RuntimeError("mail address ada@example.org")

    first, second, third = dead_jobs(3, task=scratch_task(body, on_replay=staticmethod(fail_for_the_second)))
    with pytest.raises(CommandError) as refusal:
        replay()
    assert f"Left as they were: 1 job.\n  {second.pk}: What the task does on a replay failed (RuntimeError)" in str(
        refusal.value
    )
    assert "ada@" not in str(refusal.value)
    assert replayed() == numbers([first, third])
    assert job(second.pk).state == "dead"


def test_two_operators_at_once_replay_each_job_once(dead_jobs: DeadJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "BATCH", 7)
    dead = dead_jobs(200)
    barrier = threading.Barrier(3)
    said: list[str] = []

    def press() -> None:
        barrier.wait(60)
        try:
            said.append(replay())
        except CommandError as error:
            said.append(str(error))  # the others were that quick
        finally:
            connections.close_all()

    threads = [threading.Thread(target=press) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        wait_for_end(thread)

    assert replayed() == numbers(dead)
    assert set(Job.objects.values_list("generation", flat=True)) == {1}
    assert sorted(StaffAction.objects.values_list("job_id", flat=True)) == numbers(dead)
    counts = [int(count) for words in said for count in re.findall(r"Replayed: (\d+) jobs? of", words)]
    assert sum(counts) == 200


def test_jobs_that_somebody_else_dealt_with_before_they_were_read_are_counted_too(
    dead_jobs: DeadJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead_jobs(3)
    monkeypatch.setattr(command.Progress, "begin", lambda *_: Job.objects.update(state="cancelled"))
    said = replay()
    assert "Replayed: 0 jobs of 3." in said
    assert "No longer dead, since somebody else was quicker: 3." in said


# The pace


def test_a_rate_spreads_the_jobs_of_a_batch_over_its_seconds(dead_jobs: DeadJobs) -> None:
    dead_jobs(8)
    replay("--rate", 2)
    first, *others = Job.objects.order_by("pk").values_list("available_at", flat=True)
    for place, available_at in enumerate(others, start=1):
        assert abs((available_at - first).total_seconds() - place / 2) < 0.5


def test_a_rate_holds_across_batches(dead_jobs: DeadJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SPREAD_SECONDS", 0.2)
    dead_jobs(12)
    replay("--rate", 20)
    times = list(Job.objects.order_by("pk").values_list("available_at", flat=True))
    assert (times[-1] - times[0]).total_seconds() >= 0.5  # 11/20 s, but for what the statements take


@contextmanager
def process_that_replays(*options: str) -> Iterator[Process]:
    url = broker_url("redis")
    replaying = Process(
        "replay_dlq",
        [sys.executable, "manage.py", "replay_dlq", *WHO_AND_WHY, *options],
        environment(url),
        ready="",
    )
    try:
        yield replaying
    finally:
        replaying.kill()


def test_ctrl_c_stops_a_paced_replay_and_the_same_command_goes_on(dead_jobs: DeadJobs) -> None:
    dead_jobs(30)
    with process_that_replays("--rate", "1") as replaying:
        wait_for(lambda: StaffAction.objects.exists(), what="the first batch")
        os.kill(replaying.pid, signal.SIGINT)
        wait_for(lambda: not replaying.alive, what="it ends")
        wait_for(
            lambda: any("Stopped. Replayed: 5 jobs of 30." in line for line in replaying.output), what="it says so"
        )
    assert replaying.terminate() == command.INTERRUPTED
    assert (len(replayed()), StaffAction.objects.count()) == (5, 5)
    assert "Replayed: 25 jobs of 25." in replay()


def test_a_database_that_goes_away_ends_the_run_with_a_sentence_and_the_same_command_goes_on(
    dead_jobs: DeadJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "BATCH", 2)
    dead = dead_jobs(5)
    again = command.Progress.advance

    def end_the_session(progress: Any, done: int) -> None:
        again(progress, done)
        if done == 4:
            connection.connection.close()

    monkeypatch.setattr(command.Progress, "advance", end_the_session)
    with pytest.raises(CommandError, match=r"the database failed .* Replayed before: 4 jobs of 5\."):
        replay()
    connection.close()
    assert replayed() == numbers(dead[:4])
    monkeypatch.undo()
    assert "Replayed: 1 job of 1." in replay()


def test_a_killed_run_leaves_each_job_replayed_or_dead_and_never_half(dead_jobs: DeadJobs) -> None:
    dead_jobs(2000)
    with process_that_replays() as replaying:
        wait_for(lambda: StaffAction.objects.exists(), what="the first batch")
        replaying.kill()
    connection.close()
    done = len(replayed())
    wait_for(lambda: StaffAction.objects.count() == len(replayed()))
    assert done > 0
    assert Job.objects.filter(state="dead").count() == 2000 - len(replayed())


def test_progress_goes_to_a_log_line_by_line_and_to_a_terminal_in_place(dead_jobs: DeadJobs) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

        def write(self, text: str = "", ending: str = "\n") -> int:  # type: ignore[override]
            return super().write(text + ending)

    out = Terminal()
    progress = Progress(out, done="replayed")
    progress.begin(10)
    progress._shown_at = -100.0
    progress.advance(5)
    progress.end()
    assert out.getvalue() == "\r5 of 10 replayed\n"
