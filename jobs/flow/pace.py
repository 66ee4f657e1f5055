"""How many jobs came to each queue and left it lately, and how many wait to be tried again.

Read from the ledger's own newest rows, a bounded number of them by three indexes: nothing is counted while jobs are
enqueued or end, and a page costs the same with ten jobs as with a million.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jobs.session import run

SECONDS = 60.0
"""What "lately" is. Where more came than is read, it is the time that those took."""

MOST = 3_000
"""Rows that are read of each, some milliseconds."""

# By the primary key, job_ended and job_later. A dead job has not left: somebody has to do something about it. Of those
# that wait for their time only the next ones are looked at, which those that are tried again are among.
PACE = """
    WITH came AS MATERIALIZED (
        SELECT queue, created_at AS at FROM jobs_job ORDER BY id DESC LIMIT %(most)s
    ), went AS MATERIALIZED (
        SELECT queue, finished_at AS at FROM jobs_job WHERE state IN ('done', 'cancelled')
        ORDER BY finished_at DESC LIMIT %(most)s
    ), soon AS MATERIALIZED (
        SELECT queue, attempts FROM jobs_job WHERE state = 'waiting' AND gate = 'later'
        ORDER BY available_at, id LIMIT %(most)s
    ), spans AS (
        SELECT (SELECT CASE WHEN count(*) < %(most)s THEN %(seconds)s
                       ELSE least(extract(epoch FROM jobs_now() - min(at)), %(seconds)s) END FROM came) AS came,
               (SELECT CASE WHEN count(*) < %(most)s THEN %(seconds)s
                       ELSE least(extract(epoch FROM jobs_now() - min(at)), %(seconds)s) END FROM went) AS went
    )
    SELECT 'came', queue, (count(*) / greatest((SELECT came FROM spans), 0.1))::float8
      FROM came WHERE at > jobs_now() - %(seconds)s * interval '1 second' GROUP BY queue
    UNION ALL
    SELECT 'went', queue, (count(*) / greatest((SELECT went FROM spans), 0.1))::float8
      FROM went WHERE at > jobs_now() - %(seconds)s * interval '1 second' GROUP BY queue
    UNION ALL
    SELECT 'again', queue, count(*)::float8 FROM soon WHERE attempts > 0 GROUP BY queue
"""


@dataclass(frozen=True)
class Pace:
    """One queue. came, went: jobs a second that were enqueued, and that were done or cancelled. again: jobs that failed
    and wait for their next attempt.
    """

    came: float = 0.0
    went: float = 0.0
    again: int = 0


def current_pace(*, using: str = "default") -> Mapping[str, Pace]:
    """By queue; none for a queue where nothing happened. One query."""
    found: dict[str, dict[str, float]] = {}
    for what, queue, figure in run(using, PACE, {"most": MOST, "seconds": SECONDS}):
        found.setdefault(queue, {})[what] = figure
    return {
        queue: Pace(figures.get("came", 0.0), figures.get("went", 0.0), int(figures.get("again", 0)))
        for queue, figures in found.items()
    }
