"""Prometheus's alerts: what somebody should hear of, and what to look at then.

The age of the oldest due job is the alarm, not the depth of a queue: ten thousand jobs that drain in a minute are no
trouble, and ten that nobody starts are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deploy.derived import schedule_alerts
from deploy.derived.alert import LEDGER_AWAY, Alert
from jobs.destinations import Destination
from jobs.periodic import Periodic
from jobs.queues import Queue

HEAD = """\
# Written by python -m deploy.derived from config/queues.py and config/schedule.py. The metrics are those of
# docs/metrics.md.
groups:
  - name: boxoffice
    rules:
"""


ALWAYS = (
    Alert(
        "LedgerAway",
        LEDGER_AWAY,
        "1m",
        "page",
        "The database {{ $labels.database }} does not answer.",
        "Fans cannot buy. Workers and relays wait and go on by themselves.",
    ),
    Alert(
        "NoRelay",
        "jobs_relays == 0",
        "1m",
        "page",
        "No relay lives for the database {{ $labels.database }}: no job starts.",
        "Start manage.py relay. Nothing is lost meanwhile.",
    ),
    Alert(
        "NoWorker",
        "jobs_queue_workers == 0",
        "2m",
        "page",
        "No worker consumes the queue {{ $labels.queue }}.",
        "Start a worker of its pool; docs/queues.md names the command's queues.",
    ),
    Alert(
        "ProviderAway",
        'jobs_breaker{state="closed"} == 0',
        "5m",
        "page",
        "{{ $labels.destination }} has not answered for five minutes.",
        "Its jobs wait without using attempts, and go on by themselves when it is back.",
    ),
    Alert(
        "JobsDied",
        # Not jobs_dead_total: a counter's first step cannot be seen, and one death is enough.
        'delta(jobs_in_state{state="dead"}[10m]) > 0',
        "0m",
        "ticket",
        "Jobs of the queue {{ $labels.queue }} died.",
        "Look at the dead jobs in the admin, mend the cause, replay them.",
    ),
    Alert(
        "ListBehind",
        "histogram_quantile(0.95, sum by (le) (rate(inventory_availability_lag_seconds_bucket[10m]))) > 30",
        "5m",
        "ticket",
        "The list of shows learns of sales only after {{ $value | humanizeDuration }}.",
        "Nothing is sold wrongly. Look at the queue default and its workers; docs/programme.md says what counts.",
    ),
    Alert(
        "LimitKeptAlone",
        "notifications_limit_alone > 0",
        "5m",
        "ticket",
        "Workers keep the limits of providers each by itself, since Redis does not answer.",
        "Nothing is lost: mails leave more slowly than they could. Look at the server of REDIS_URL.",
    ),
    Alert(
        "DeadLetters",
        "jobs_dead_letters_kept > 0",
        "0m",
        "ticket",
        "Messages came that the ledger does not know.",
        "Look at the dead letters in the admin: somebody else writes to our queues, or an old database was restored.",
    ),
    Alert(
        "QueueUnusable",
        "jobs_queue_unusable > 0",
        "1m",
        "page",
        "Something else stands at the broker under the name {{ $labels.queue }}.",
        "The relay's log says what, and how to mend it.",
    ),
    Alert(
        "NothingMeasured",
        "jobs_load_stale == 1 and on (database) jobs_relays > 0",
        "2m",
        "ticket",
        "The relays of {{ $labels.database }} live, and none has measured its queues.",
        "A relay's log says why. The edge refuses nothing meanwhile.",
    ),
    Alert(
        "PromisesBroken",
        "sum by (queue) (rate(jobs_started_late_total[10m]))"
        " / sum by (queue) (rate(jobs_wait_seconds_count[10m])) > 0.05",
        "10m",
        "ticket",
        "More than 5 % of the jobs of {{ $labels.queue }} start late.",
        "More workers of its pool, or a promise that can be kept.",
    ),
    Alert(
        "JobsShed",
        "sum by (queue) (rate(jobs_shed_total[5m])) > 0",
        "10m",
        "ticket",
        "{{ $labels.queue }} has been dropping jobs for ten minutes.",
        "It may, but not for long: more workers of its pool.",
    ),
    Alert(
        "RefusedAtTheEdge",
        "sum by (queue) (rate(jobs_refused_at_the_edge_total[5m])) > 0",
        "1m",
        "page",
        "Fans are sent away, since the queue {{ $labels.queue }} is too far behind.",
        "More workers of its pool, at once.",
    ),
    Alert(
        "ClicksUnread",
        # The age and not the depth: a million clicks that are read in a minute are no trouble.
        "snip_oldest_unread_seconds > 300",
        "1m",
        "ticket",
        "The {{ $labels.group }} has not dealt with a click of {{ $value | humanizeDuration }} ago.",
        "Is manage.py count_clicks or archive_clicks there, and what does its log say? "
        "Nothing is lost before the log's bound: docs/click-log.md.",
    ),
    Alert(
        "ClickLogAway",
        "snip_log_up == 0",
        "2m",
        "ticket",
        "The Redis server of the log of clicks does not answer.",
        "Links go on leading where they should; clicks are dropped and counted. Look at the server of REDIS_URL.",
    ),
    Alert(
        "ClicksShedUnread",
        "increase(snip_archive_gaps_total[10m]) > 0",
        "0m",
        "ticket",
        "The log of clicks was full and has shed clicks that the archiver had not read.",
        "More archivers, or a longer log: SNIP_LOG_LENGTH.",
    ),
    Alert(
        "ClicksLost",
        "delta(snip_counter_lost[10m]) > 0",
        "0m",
        "ticket",
        "The log of clicks was full and has shed clicks that were not counted.",
        "More of manage.py count_clicks, or a longer log: SNIP_LOG_LENGTH. What is lost stays lost: docs/click-log.md.",
    ),
    Alert(
        "ClicksDropped",
        "sum by (reason) (rate(snip_clicks_dropped_total[5m])) > 0",
        "2m",
        "ticket",
        "Clicks on links have not come into the log for minutes: {{ $labels.reason }}.",
        "Links go on leading where they should. What each reason means: docs/redirect.md.",
    ),
    Alert(
        "ClickLogNotKept",
        "snip_log_kept == 0",
        "10m",
        "ticket",
        "The Redis server of the log of clicks may forget or evict it.",
        "Set appendonly yes and maxmemory-policy noeviction there; the redirect's log names what is missing.",
    ),
    Alert(
        "ClickLogShort",
        # Read clicks, as long as ClicksLost is silent; but who was away over the weekend comes too late for them.
        "increase(snip_clicks_shed_total[1h]) > 0",
        "10m",
        "ticket",
        "The log of clicks is full, and gives up old ones before their seven days.",
        "A longer log, SNIP_LOG_LENGTH, and memory for it: 125 bytes for each click.",
    ),
    *schedule_alerts.ALWAYS,
    Alert(
        "PausedForLong",
        "jobs_paused == 1",
        "1h",
        "ticket",
        "The {{ $labels.kind }} {{ $labels.name }} has been paused for an hour.",
        "manage.py resume, or the admin, which also says who paused it and why.",
    ),
)


DESTINATION_HELD = (
    'label_replace(jobs_paused{kind="destination"}, "destination", "$1", "name", "(.*)") == 1',
    'jobs_breaker{state="closed"} == 0',
)
"""A provider that somebody has paused, or that is away."""


def render(
    *,
    queues: Sequence[Queue],
    destinations: Sequence[Destination],
    tasks: Mapping[str, str],
    schedule: Sequence[Periodic],
) -> str:
    """The rules file: an alert on the age of each queue's jobs, one on late schedules, and those that hold for all.

    tasks: the queue of each task.
    """
    calls = {task: destination.name for destination in destinations for task in destination.tasks}
    late = [
        _late(queue, called=[calls.get(task, "") for task, name in tasks.items() if name == queue.name])
        for queue in queues
    ]
    return HEAD + "".join(alert.render() for alert in [*late, schedule_alerts.late(schedule), *ALWAYS])


def _late(queue: Queue, *, called: Sequence[str]) -> Alert:
    """The alert on the age of a queue's jobs. called: whom each of its tasks calls; empty for nobody.

    What somebody has paused is not late. Neither are the jobs that call a provider that is away, which has an alert of
    its own; those that call another one or nobody are looked at by themselves.
    """
    name = "jobs_oldest_due_by_destination_seconds" if any(called) else "jobs_oldest_due_seconds"
    held = [f'on (database) (jobs_paused{{kind="queue", name="{queue.name}"}} == 1)']
    if any(called):
        held += [f"on (database, destination) ({condition})" for condition in DESTINATION_HELD]
    whom = "{{ if $labels.destination }} for {{ $labels.destination }}{{ end }}" if any(called) else ""
    return Alert(
        f"{queue.name.title().replace('_', '')}Late",
        f'{name}{{queue="{queue.name}"}} > {queue.promise_seconds:g}'
        + "".join(f" unless {condition}" for condition in held),
        "1m",
        "page",
        f"A job of {queue.name}{whom} has been due for {{{{ $value | humanizeDuration }}}}, "
        f"and {queue.promise_seconds:g} s are promised.",
        "Are workers there, and do they start jobs? The admin's page of the queues says both.",
    )
