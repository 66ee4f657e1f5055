"""``manage.py replay_dlq`` as an operator calls it, and what it did."""

from __future__ import annotations

from io import StringIO

from django.core.management import call_command

from jobs.models import Job

WHO_AND_WHY = ["--by", "operator", "--reason", "the disk has room again"]


def replay(*options: object) -> str:
    """Run it with a name and a reason; return what it said."""
    return run(*options, *WHO_AND_WHY)


def run(*options: object) -> str:
    """Run it with these options alone."""
    out = StringIO()
    call_command("replay_dlq", *map(str, options), stdout=out)
    return out.getvalue()


def replayed() -> list[int]:
    """The jobs that wait because they were replayed."""
    return sorted(Job.objects.filter(state="waiting", reason="replayed").values_list("pk", flat=True))


def numbers(jobs: list[Job]) -> list[int]:
    return sorted(each.pk for each in jobs)
