"""``manage.py job 12``: one job and why it waits; ``manage.py job 12 cancel``, ``run-now``, ``priority 1``.

The trail names who did it and why. Replaying and discarding dead jobs is ``replay_dlq`` and ``discard_dlq``.
"""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jobs.cancel import cancel_job
from jobs.change_priority import change_priority
from jobs.clock import database_now
from jobs.errors import JobsError
from jobs.management.dead_jobs import typed_words
from jobs.management.one_job import describe, describe_removed
from jobs.management.which_database import add_database_option
from jobs.models import Job
from jobs.run_now import run_job_now
from jobs.selectors import job_or_history, staff_actions_on
from jobs.why_it_waits import why_it_waits

USAGE = """\
manage.py job ID [ID …]                                       what is known of them, and why they wait
manage.py job ID [ID …] cancel     --by NAME --reason WHY     they never run, or their run ends without effect
manage.py job ID [ID …] run-now    --by NAME --reason WHY     they are due at once, whatever their time
manage.py job ID [ID …] priority N --by NAME --reason WHY     0 is the most urgent, 9 the least"""

MOST_AT_ONCE = 1000


@dataclass(frozen=True)
class Wish:
    """What the words of the command ask for. change: a service without its job; None only to look."""

    job_ids: list[int]
    done: str = ""
    change: Callable[..., None] | None = None


class Command(BaseCommand):
    help = USAGE

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("words", nargs="+", metavar="ID | VERB", help="numbers of jobs, then what to do to them")
        parser.add_argument("--by", type=typed_words, default="", help="who does it; kept in the audit trail")
        parser.add_argument("--reason", type=typed_words, default="", help="why; kept in the audit trail")
        parser.add_argument("--with-traceback", action="store_true", help="show the traceback of its last error, too")
        add_database_option(parser, help="alias of the database that the jobs live in")

    def handle(self, *args: Any, words: list[str], by: str, reason: str, database: str, **options: Any) -> None:
        wish = _read(words)
        if wish.change is None:
            self._show(wish.job_ids, using=database, with_traceback=options["with_traceback"])
            return
        if not (by.strip() and reason.strip()):
            raise CommandError("Say who does this and why: --by and --reason.")
        self._change(wish, by=by, reason=reason, using=database)

    def _show(self, job_ids: list[int], *, using: str, with_traceback: bool) -> None:
        now = database_now(using=using)
        missing = []
        for job_id in job_ids:
            job = job_or_history(job_id=job_id, using=using)
            trail = list(staff_actions_on(job_id=job_id, using=using))
            if isinstance(job, Job):
                obstacles = why_it_waits(job=job, now=now, using=using)
                lines = describe(job, obstacles=obstacles, trail=trail, now=now, with_traceback=with_traceback)
            elif job is not None:
                lines = describe_removed(job, trail=trail, now=now)
            else:
                missing.append(job_id)
                continue
            self.stdout.write("\n".join(lines))
        if missing:
            raise CommandError(f"There is no job {', '.join(map(str, missing))}.")

    def _change(self, wish: Wish, *, by: str, reason: str, using: str) -> None:
        """Each job by itself: what was done to one stays done when the next is refused."""
        assert wish.change is not None
        generations = dict(Job.objects.using(using).filter(pk__in=wish.job_ids).values_list("pk", "generation"))
        refused = []
        for job_id in wish.job_ids:
            try:
                wish.change(job_id=job_id, generation=generations.get(job_id, 0), by=by, reason=reason, using=using)
            except JobsError as error:
                refused.append(str(error))
                continue
            self.stdout.write(f"Job {job_id}: {wish.done}.")
            self._say_what_holds_it(job_id, using=using)
        if refused:
            raise CommandError("\n".join(refused))

    def _say_what_holds_it(self, job_id: int, *, using: str) -> None:
        job = Job.objects.using(using).filter(pk=job_id).first()
        if job is not None:
            for obstacle in why_it_waits(job=job, now=database_now(using=using), using=using):
                self.stdout.write(f"  {obstacle.sentence}")


def _read(words: list[str]) -> Wish:
    """Numbers of jobs, then perhaps a verb. Raises CommandError for anything else."""
    numbers = list(takewhile(str.isdecimal, words))
    verb = words[len(numbers) :]
    if not numbers or len(numbers) > MOST_AT_ONCE or any(len(number) > 18 for number in numbers):
        raise CommandError(f"Name the jobs by their numbers, {MOST_AT_ONCE} at most.\n{USAGE}")
    job_ids = list(dict.fromkeys(map(int, numbers)))
    match verb:
        case []:
            return Wish(job_ids)
        case ["cancel"]:
            return Wish(job_ids, "cancelled", cancel_job)
        case ["run-now"]:
            return Wish(job_ids, "due now", run_job_now)
        case ["priority", number] if number.isdecimal() and len(number) < 9:
            return Wish(job_ids, f"priority {int(number)}", partial(change_priority, priority=int(number)))
    raise CommandError(f"{' '.join(verb)[:60]!r} is nothing that can be done to a job.\n{USAGE}")
