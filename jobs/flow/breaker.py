"""The breaker of a destination: while its provider is away its jobs wait, and keep their attempts.

                 failures_to_open transient failures in a row
      closed ────────────────────────────────────────────────▶ open ◀───────────┐
        ▲                                                       │ its wait is    │ a failure: it waits
        │ as many at once as its share                          ▼ over           │ twice as long
        └────────────────────────────────────────────────── half open ──────────┘
                                                              │   ▲
                                                              └───┘ an answer: one more at once

In a row means without an answer between them, and the failures of one job that follow each other count once, so that
a job that always fails cannot keep others from a provider that is well. Half open begins with one job at once. Each
answer lets one more go, so that their number doubles with each round trip.

Workers note outcomes, relays see to it that the time passes. An answer is a job that is done, or an error that the
provider itself gave; a rate limit says that the provider lives, and neither closes nor opens anything. What is our own
(the ledger's session, an order to stop, a fault of the program) says nothing about the provider.

Guarantee: a job whose call fails while the breaker is open, because it was in hand already, uses up no attempt. A job
that tries the provider does: one that always fails is dead after its attempts (I2), whatever the breaker does.
A destination that the table does not list any more has no breaker.
"""

from __future__ import annotations

from enum import Enum

import structlog

from jobs import metrics
from jobs.claim import Claim
from jobs.destinations import destination_named
from jobs.session import count, run

log = structlog.get_logger(__name__)

STEP_ASIDE_SECONDS = 1.0
"""How long a job is not due that found its provider away. Relays know of an open breaker within ``LIMITS_SECONDS``, and
until then would hand it out again at once."""

# Matches no row, and writes nothing, while all is well. Uses the primary key, as all of these do.
NOTE_ANSWER = """
    UPDATE jobs_breaker
    SET failures = 0, last_job_id = NULL, allowed = allowed + CASE state WHEN 'half open' THEN 1 ELSE 0 END
    WHERE destination = %(destination)s AND (state = 'half open' OR (state = 'closed' AND failures > 0))
    RETURNING state, allowed
"""

# Counts where it tells something: an open breaker knows already, and a run that began before the breaker was half
# open was no trial of the provider as it is now. Such a failure returns no row. Where the clock was set back, nobody
# can say which run began before, and all of them count.
NOTE_FAILURE = """
    INSERT INTO jobs_breaker AS breaker (destination, failures, last_job_id, error)
    VALUES (%(destination)s, 1, %(job)s, %(error)s)
    ON CONFLICT (destination) DO UPDATE
    SET (state, failures, last_job_id, error, openings, allowed, probe_at, changed_at) = (
        SELECT CASE WHEN opens THEN 'open' ELSE 'closed' END, counted, %(job)s, %(error)s,
               breaker.openings + opens::integer, 0,
               CASE WHEN opens THEN jobs_now() + interval '1 second'
                    * least(%(longest)s, %(first)s * 2 ^ least(breaker.openings, 30)) END,
               CASE WHEN opens THEN jobs_now() ELSE breaker.changed_at END
        FROM (SELECT breaker.failures + (breaker.last_job_id IS DISTINCT FROM %(job)s)::integer) AS streak (counted),
             LATERAL (SELECT breaker.state = 'half open' OR counted >= %(limit)s) AS verdict (opens)
    )
    WHERE breaker.state = 'closed' OR (breaker.state = 'half open' AND (
        breaker.changed_at > jobs_now()
        OR breaker.changed_at <= (SELECT started_at FROM jobs_job WHERE id = %(job)s AND token = %(token)s)
    ))
    RETURNING state, openings, extract(epoch FROM probe_at - jobs_now())::float8
"""

HALF_OPEN = """
    UPDATE jobs_breaker
    SET state = 'half open', allowed = 1, failures = 0, last_job_id = NULL, probe_at = NULL, changed_at = jobs_now()
    WHERE destination = %(destination)s AND state = 'open' AND probe_at <= jobs_now()
"""

CLOSE = """
    UPDATE jobs_breaker
    SET state = 'closed', allowed = 0, failures = 0, last_job_id = NULL, openings = 0, error = '',
        changed_at = jobs_now()
    WHERE destination = %(destination)s AND state = 'half open' AND allowed > %(share)s
"""

PROBE_NOW = "UPDATE jobs_breaker SET probe_at = jobs_now() WHERE destination = %(destination)s AND state = 'open'"


class Says(Enum):
    """What the failure of a job's call means to the job."""

    USE_AN_ATTEMPT = "use an attempt"
    STEP_ASIDE = "step aside"


def note_answer(claim: Claim) -> None:
    """The provider has answered. One query, none for a job that calls nobody."""
    if destination_named(claim.destination) is None:
        return
    values = {"destination": claim.destination}
    for state, allowed in run(claim.using, NOTE_ANSWER, values):
        if state == "half open":
            log.info("breaker_half_open", destination=claim.destination, allowed=allowed)


def note_failure(claim: Claim, *, error: str) -> Says:
    """The provider has failed; say what follows for the job. One query, none for a job that calls nobody.

    error: in one line, for staff.
    """
    destination = destination_named(claim.destination)
    if destination is None:
        return Says.USE_AN_ATTEMPT
    values = {
        "destination": destination.name,
        "job": claim.job_id,
        "token": claim.token,
        "error": error,
        "limit": destination.failures_to_open,
        "first": destination.first_wait_seconds,
        "longest": destination.longest_wait_seconds,
    }
    for state, openings, wait in run(claim.using, NOTE_FAILURE, values):
        if state == "open":
            metrics.BREAKER_OPENED.labels(destination=destination.name).inc()
            log.error("breaker_opened", destination=destination.name, openings=openings, wait=wait, error=error)
        return Says.USE_AN_ATTEMPT
    return Says.STEP_ASIDE


def half_open(*, using: str, destination: str) -> bool:
    """Let one job try a provider whose breaker has waited long enough. False means that somebody was first."""
    opened = count(using, HALF_OPEN, {"destination": destination}) == 1
    if opened:
        log.info("breaker_half_open", destination=destination, allowed=1)
    return opened


def close(*, using: str, destination: str, share: int) -> bool:
    """Close a breaker under which more than ``share`` jobs at once found an answer. False: somebody was first."""
    closed = count(using, CLOSE, {"destination": destination, "share": share}) == 1
    if closed:
        metrics.BREAKER_CLOSED.labels(destination=destination).inc()
        log.info("breaker_closed", destination=destination)
    return closed


def probe_now(*, using: str, destination: str) -> bool:
    """Let an open breaker's wait be over. False means that it is not open."""
    return count(using, PROBE_NOW, {"destination": destination}) == 1
