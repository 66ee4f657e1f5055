"""``python -m jobs.failures.page`` prints ``docs/failures.md`` from the tables and the policy."""

from __future__ import annotations

from jobs.failures import codes
from jobs.failures.retry import RATE_LIMIT_SECONDS, SHORTEST_POSTPONEMENT_SECONDS, FailureClass, Policy
from jobs.failures.table import TABLE, WRAPPERS, Verdict

ATTEMPTS = (Policy().max_retries or 0) + 1
UNTOLD, SHORTEST = f"{RATE_LIMIT_SECONDS:.0f} s", f"{SHORTEST_POSTPONEMENT_SECONDS:.0f} s"
LONGEST = f"{Policy().backoff_max:.0f} s"

HEAD = f"""\
# When a job fails

Every failure belongs to one of three classes, and the class decides what comes next. The tables below are those of the
code; `python -m jobs.failures.page > docs/failures.md` prints this page, and a test keeps it equal.

| class | what happens to the job | attempts | Sentry |
|---|---|---|---|
| **transient** | it waits and runs again; after the last attempt it is dead | one used | once, at its death |
| **rate limited** | it is postponed for as long as the provider asks for | none used | never |
| **permanent** | dead at once: waiting heals nothing, or nobody knows this failure | all given up | once, at once |

A transient failure waits a random time of up to 1, 2, 4, 8 … s, {LONGEST} at most. {ATTEMPTS} attempts last 29 minutes
on average and 59 at most: an outage of twenty minutes costs nobody's tickets. A rate limit waits as long as
`Retry-After` says, {SHORTEST} at least and an hour at most, and {UNTOLD} if it says nothing. A job that loses the
ledger's own database connection is postponed too. The worked numbers are in [`retry.py`](../jobs/failures/retry.py).

The job's row keeps the last error and its traceback; its reason says `will be tried again`, `rate limited`, `permanent
error`, `attempts used up` or `crash loop`, and staff read both in the admin. For a dead job, mend the cause and replay
it: it keeps its id, its arguments and so its idempotency keys.

## For authors of tasks

Say what you know; the table is for what libraries raise by themselves.

    class PrinterOffline(TransientError): ...           # tried again
    class AddressRefused(PermanentError): ...           # dead at once
    raise RateLimited(retry_after=60)                   # postponed, no attempt used
    raise self.retry(countdown=600)                     # tried again, in ten minutes

    @shared_task(autoretry_for=(KeyError,), retry_backoff=2, retry_backoff_max=600, max_retries=5)

- Our own classes decide first, whatever stands behind them: `raise AddressRefused from error`.
- `autoretry_for` makes a permanent failure transient. A rate limit that it names too stays a rate limit.
- `Retry`, `Ignore` and `Reject` are Celery's control flow. A body that raises one by hand is wrong: dead.
- A response that is not raised fails nobody: call `raise_for_status()`.

## How a failure is classed

Our own classes; then codes; then the nearest name in the exception's line of ancestors; then `autoretry_for`; else
permanent. Some exceptions only carry another one, which says more, so that the innermost is asked first:

"""

TAIL = f"""
Nothing else is looked through. The cause of an exception is in general what somebody was doing when something else
went wrong: a `KeyError` that was raised while a time-out was handled is still a `KeyError`.

`Retry-After` counts for rate limits: in seconds, or as a date, which counts from the `Date` of the same answer. What is
negative, infinite or no number is not believed; then {UNTOLD} are waited. A 503 with a `Retry-After` that can be
believed is a rate limit. Stripe's `Stripe-Should-Retry: true` makes a permanent failure transient.

PostgreSQL tells no SQLSTATE when a connection is refused, so a wrong password looks like a server that is away, and is
tried again.
"""

_WORDS = {failure: failure.value for failure in FailureClass}


def render() -> str:
    """The whole page."""
    wrappers = "".join(f"- `{name}`\n" for name in sorted(WRAPPERS))
    return f"{HEAD}{wrappers}{TAIL}" + "".join(_sections())


def _sections() -> list[str]:
    statuses = {**codes.HTTP_STATUSES}
    for library, verdicts in codes.OTHER_STATUSES.items():
        statuses |= {f"{status}, {library}": verdict for status, verdict in verdicts.items()}
    return [
        _section("HTTP statuses", "status", {_range(status, 3): said for status, said in statuses.items()}),
        *(_section(f"Codes of {name}", "code", verdicts) for name, verdicts in codes.PROVIDER_CODES.items()),
        _section("SMTP codes", "code", {_range(code, 3): said for code, said in codes.SMTP_CODES.items()}),
        _section("SQLSTATEs", "SQLSTATE", {_range(state, 5): said for state, said in codes.SQLSTATES.items()}),
        _section("Faults of the machine", "errno", codes.ERRNOS),
        *(_section(f"Exceptions of {library}", "exception", names) for library, names in TABLE.items()),
    ]


def _section(title: str, key: str, verdicts: dict[str, Verdict]) -> str:
    rows = "".join(f"| `{name}` | {_WORDS[failure]} | {why} |\n" for name, (failure, why) in verdicts.items())
    return f"\n## {title}\n\n| {key} | class | why |\n|---|---|---|\n{rows}"


def _range(code: str, length: int) -> str:
    """A beginning as people write it: ``4`` is ``4xx``."""
    return code.ljust(length, "x") if "," not in code else code


if __name__ == "__main__":
    print(render(), end="")  # noqa: T201
