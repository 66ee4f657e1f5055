"""``manage.py replay_dlq``: it looks first, and chooses what its options name."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError

from jobs.clock import database_now
from jobs.models import Job, StaffAction
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import job, real_commits
from tests.replays import WHO_AND_WHY, numbers, replay, replayed, run

pytestmark = real_commits

# The filter


def test_without_options_all_that_is_dead_starts_over_and_the_trail_tells_of_each(dead_jobs: DeadJobs) -> None:
    dead = dead_jobs(3)
    dead_jobs(1, state="done")

    said = replay()

    assert "Replayed: 3 jobs of 3." in said
    assert replayed() == numbers(dead)
    assert sorted(StaffAction.objects.values_list("job_id", "by", "reason")) == [
        (each.pk, "operator", "the disk has room again") for each in dead
    ]


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (["--task", "probe.call"], {"task": "probe.call"}),
        (["--task", "probe.c*"], {"task": "probe.call"}),
        (["--queue", "default"], {"queue": "default"}),
        (["--subject", "order:ABC"], {"subject": "order:ABC"}),
        (["--error", "no SPACE"], {"error": "OSError: [Errno 28] No space left on device"}),
        (["--error", "oserror"], {"error": "OSError: [Errno 28] No space left on device"}),
        (["--cause", "KeyError: 'seat #'"], {"error": "KeyError: 'seat 12'"}),
        (["--cause", "crash loop"], {"error": "", "reason": "crash loop; its on_dead failed too: X"}),
        (["--error", "crash loop"], {"error": "", "reason": "crash loop"}),
        (["--error", "100%_"], {"error": "ValueError: 100%_ sure"}),
    ],
)
def test_each_option_chooses_what_it_names_and_nothing_else(
    dead_jobs: DeadJobs, options: list[str], given: dict[str, Any]
) -> None:
    dead_jobs(2)
    chosen = dead_jobs(2, **given)
    replay(*options)
    assert replayed() == numbers(chosen)


def test_jobs_are_chosen_by_their_numbers(dead_jobs: DeadJobs) -> None:
    first, second, third, _fourth = dead_jobs(4)
    replay("--job", first.pk, second.pk, "--job", third.pk)
    assert replayed() == numbers([first, second, third])


def test_options_narrow_each_other(dead_jobs: DeadJobs) -> None:
    dead_jobs(1, queue="default")
    dead_jobs(1, subject="order:ABC")
    (both,) = dead_jobs(1, queue="default", subject="order:ABC")
    replay("--queue", "default", "--subject", "order:ABC")
    assert replayed() == [both.pk]


def test_an_age_or_an_instant_chooses_by_when_a_job_died(dead_jobs: DeadJobs) -> None:
    now = database_now()
    old, middle, new = (dead_jobs(finished_at=now - timedelta(hours=hours))[0] for hours in (72, 5, 1))
    replay("--since", "2d", "--until", "2h")
    assert replayed() == [middle.pk]
    replay("--since", (now - timedelta(hours=1)).isoformat())
    assert replayed() == numbers([middle, new])
    assert "--until names no time zone; taken as UTC." in replay("--until", f"{now:%Y-%m-%d %H:%M}")
    assert replayed() == numbers([old, middle, new])


@pytest.mark.parametrize(
    "option",
    [
        "--since=yesterday",
        "--since=2y",
        "--limit=0",
        "--limit=9999999999999999999",
        "--rate=0",
        "--rate=nan",
        "--rate=1e308",
        "--rate=1e-320",
        "--job=x",
        "--task=",
        "--subject= ",
        "--error=caf\udce9",  # Latin-1 in a shell that speaks UTF-8
        "--reason=\x00",
        f"--reason={'why ' * 100}",
    ],
)
def test_an_option_that_makes_no_sense_is_refused(dead_jobs: DeadJobs, option: str) -> None:
    dead_jobs()
    with pytest.raises(CommandError):
        replay(option)
    assert replayed() == []


def test_a_limit_takes_the_oldest(dead_jobs: DeadJobs) -> None:
    now = database_now()
    new, old, middle = (dead_jobs(finished_at=now - timedelta(hours=hours))[0] for hours in (1, 3, 2))
    assert "Replayed: 2 jobs of 2." in replay("--limit", 2)
    assert replayed() == numbers([old, middle])
    assert job(new.pk).state == "dead"


# What changes nothing


def test_a_filter_that_matches_nothing_says_so(dead_jobs: DeadJobs) -> None:
    dead_jobs(2)
    with pytest.raises(CommandError, match="No dead job matches; nothing was changed"):
        replay("--task", "probe.elsewhere")
    assert replayed() == []


@pytest.mark.parametrize("given", [[], ["--by", "operator"], ["--reason", "why"], ["--by", " ", "--reason", " "]])
def test_without_a_name_and_a_reason_nothing_happens(dead_jobs: DeadJobs, given: list[str]) -> None:
    dead_jobs()
    with pytest.raises(CommandError, match="--by and --reason"):
        run(*given)
    assert replayed() == []


def test_a_dry_run_names_tasks_causes_and_the_first_numbers_and_changes_nothing(dead_jobs: DeadJobs) -> None:
    many = dead_jobs(7, error="ConnectionRefusedError: ada@example.org is gone")
    (one,) = dead_jobs(1, task="probe.call", error="", reason="crash loop")

    said = run("--dry-run")

    assert "Would be replayed: 8 jobs. Nothing was changed." in said
    first_five = ", ".join(str(each.pk) for each in many[:5])
    assert f"7  probe.leave_a_mark  ConnectionRefusedError: … is gone  ({first_five}, …)" in said
    assert f"1  probe.call  crash loop  ({one.pk})" in said
    assert "ada@example.org" not in said
    assert Job.objects.filter(state="dead").count() == 8
    assert StaffAction.objects.count() == 0


@pytest.mark.parametrize("dry", [["--dry-run"], WHO_AND_WHY])
def test_one_job_that_does_not_fit_stops_the_whole_run_before_it_starts(dead_jobs: DeadJobs, dry: list[str]) -> None:
    dead_jobs(2)
    (unfit,) = dead_jobs(args={"colour": "red"})
    dead_jobs(task="probe.unknown_to_workers")

    with pytest.raises(CommandError) as refusal:
        run(*dry)

    said = str(refusal.value)
    assert "nothing was changed" in said
    assert f"1  probe.leave_a_mark  ({unfit.pk})  The task does not take the job's argument colour." in said
    assert "No app here has the task probe.unknown_to_workers." in said
    assert (replayed(), StaffAction.objects.count()) == ([], 0)


def test_what_does_not_fit_can_be_left_out_by_the_filter(dead_jobs: DeadJobs) -> None:
    fit = dead_jobs(2)
    dead_jobs(args={"colour": "red"}, queue="default")
    replay("--queue", "probe")
    assert replayed() == numbers(fit)


# Quarantine


def test_what_died_after_three_replays_is_left_out_and_counted_unless_it_is_asked_for(dead_jobs: DeadJobs) -> None:
    twice, thrice, often = (dead_jobs(generation=generation)[0] for generation in (2, 3, 9))

    said = replay()
    assert "In quarantine, left out: 2." in said
    assert "Replayed: 1 job of 1." in said
    assert replayed() == [twice.pk]

    with pytest.raises(CommandError, match="No dead job matches"):
        replay()
    assert "quarantine" not in replay("--include-quarantined")
    assert replayed() == numbers([twice, thrice, often])
    assert job(often.pk).generation == 10
