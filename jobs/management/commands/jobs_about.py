"""``manage.py jobs_about order:ABCD2345``: the jobs about one thing, as the ledger and its history have them now."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from jobs.management.dead_jobs import typed_words
from jobs.management.which_database import add_database_option
from jobs.models import Job
from jobs.redact import for_eyes
from jobs.selectors import KnownJob, jobs_about

ENDED = {Job.State.DONE, Job.State.DEAD, Job.State.CANCELLED}
LOOK_SECONDS = 0.5


class Command(BaseCommand):
    help = "Lists the jobs about a subject, such as order:ABCD2345; with --watch, until all of them have ended."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("subject", type=typed_words, help="what the jobs are about, such as order:ABCD2345")
        add_database_option(parser, help="the database whose jobs they are")
        parser.add_argument("--watch", action="store_true", help="print each change until all jobs have ended")

    def handle(self, *args: Any, subject: str, watch: bool, database: str, **options: Any) -> None:
        shown: dict[int, str] = {}
        while True:
            jobs = list(jobs_about(subject=subject, using=database))
            for job in jobs:
                line = _line(job)
                if shown.get(job.pk) != line:
                    shown[job.pk] = line
                    self.stdout.write(line)
            if not watch or (jobs and all(job.state in ENDED for job in jobs)):
                break
            time.sleep(LOOK_SECONDS)
        if not shown:
            self.stdout.write(f"No jobs about {subject!r}. A subject has a kind and a name, such as order:ABCD2345.")


def _line(job: KnownJob) -> str:
    parts = [f"#{job.pk}", job.task, job.state]
    parts += [f"by {job.worker}"] if job.state == Job.State.RUNNING else []
    parts += [f"({for_eyes(job.reason)})"] if job.reason else []
    parts += [f"failed attempts: {job.attempts}"] if job.attempts else []
    parts += [f"claims: {job.deliveries}"] if job.deliveries else []
    parts += [for_eyes(job.error)] if job.error else []
    parts += ["(removed)"] if job.removed else []
    return "  ".join(parts)
