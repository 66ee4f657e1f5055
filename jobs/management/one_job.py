"""All that is known of one job, as lines for a terminal. Secrets and personal data are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from jobs.models import Job, JobHistory, StaffAction
from jobs.redact import for_eyes, for_staff
from jobs.spans import seen_from
from jobs.why_it_waits import Obstacle

ENDED = {Job.State.DONE, Job.State.DEAD, Job.State.CANCELLED}


def describe(
    job: Job, *, obstacles: list[Obstacle], trail: list[StaffAction], now: datetime, with_traceback: bool
) -> Iterator[str]:
    """The lines, most wanted first. now: the database's."""
    yield f"Job {job.pk}  {job.task}"
    yield _line("state", f"{job.state} ({for_eyes(job.reason)})" if job.reason else job.state)
    for obstacle in obstacles:
        other = f" Job {obstacle.job_id} is the first." if obstacle.job_id else ""
        yield _line("waits", f"{obstacle.sentence}{other}")
    if job.state == Job.State.WAITING:
        is_due = job.available_at <= now
        yield _line("next attempt", "as soon as nothing holds it" if is_due else _instant(job.available_at, now))
    if job.error:
        yield _line("last error", for_eyes(job.error))
    if job.state == Job.State.RUNNING:
        yield _line("worker", job.worker)
    yield from _about(job)
    yield from _times(job, now)
    yield _line("arguments", json.dumps(for_staff(job.args), ensure_ascii=False))
    yield from _trail(trail, now)
    if with_traceback and job.traceback:
        yield ""
        yield for_eyes(job.traceback)


def describe_removed(job: JobHistory, *, trail: list[StaffAction], now: datetime) -> Iterator[str]:
    """The lines of a job that has left the ledger for its history."""
    yield f"Job {job.pk}  {job.task}  (removed; this is what is kept of it)"
    yield _line("state", f"{job.state} ({for_eyes(job.reason)})" if job.reason else job.state)
    if job.subject:
        yield _line("about", job.subject)
    yield _line("went to", f"queue {job.queue}" + (f", destination {job.destination}" if job.destination else ""))
    yield _line("attempts", f"{job.attempts} failed, replayed {job.generation} times")
    for name, moment in {"created": job.created_at, "started": job.started_at, "ended": job.finished_at}.items():
        if moment is not None:
            yield _line(name, _instant(moment, now))
    yield from _trail(trail, now)


def _trail(trail: list[StaffAction], now: datetime) -> Iterator[str]:
    for entry in trail:
        yield _line("staff", f"{_instant(entry.at, now)}  {entry.action}  by {entry.by}: {for_eyes(entry.reason)}")
        if before := " · ".join(filter(None, [for_eyes(entry.job_reason), for_eyes(entry.job_error)])):
            yield _line("", f"before: {before}")


def _about(job: Job) -> Iterator[str]:
    if job.subject:
        yield _line("about", job.subject)
    where = [f"queue {job.queue}", f"destination {job.destination}" if job.destination else ""]
    keys = [f"ordering key {job.ordering_key}" if job.ordering_key else ""]
    keys += [f"unique key {job.unique_key}" if job.unique_key else ""]
    yield _line("goes to", ", ".join(filter(None, [*where, f"priority {job.priority}", *keys])))
    counts = f"{job.attempts} failed, {job.deliveries} claims since the last outcome, replayed {job.generation} times"
    yield _line("attempts", counts)
    if job.correlation_id:
        yield _line("correlation", job.correlation_id)


def _times(job: Job, now: datetime) -> Iterator[str]:
    moments = {"created": job.created_at, "published": job.published_at, "started": job.started_at}
    if Job.State(job.state) in ENDED:
        moments["ended"] = job.finished_at
    for name, moment in moments.items():
        if moment is not None:
            yield _line(name, _instant(moment, now))


def _line(name: str, text: str) -> str:
    return f"  {name:<13} {text}"


def _instant(moment: datetime, now: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC, {seen_from(moment, now)}"
