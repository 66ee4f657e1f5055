"""Every queue of the ledger and every pool of workers, in two tables from which all else is derived.

Celery's queues, the start-up checks, the worker commands of the ``Procfile``, metrics and alerts, the autoscaler's
queries and ``docs/queues.md`` come from here.
"""

from jobs.queues import Pool, Queue

POOLS = (
    Pool("default", purpose="Short work in the database.", concurrency=2, backlog=500),
    Pool(
        "tickets",
        purpose="Work that keeps a CPU busy.",
        concurrency=2,
        prefetch=1,
        preload=("tickets.render_tickets",),
    ),
    Pool(
        "messages",
        purpose="Work that waits for providers.",
        kind="threads",
        concurrency=16,
        prefetch=1,
        backlog=400,
        most_workers=3,
    ),
)

QUEUES = (
    Queue(
        "default",
        purpose="Small work in the database: planning, read models.",
        pool="default",
        promise_seconds=5,
    ),
    Queue(
        "tickets",
        purpose="Rendering of ticket files.",
        pool="tickets",
        promise_seconds=30,
        # Who buys now would wait that long for his tickets; the edge then takes no new holds for a while.
        refuse_above_seconds=1800,
    ),
    # Where two queues call the same provider, the one that stands first in this table is served first.
    Queue(
        "messages",
        purpose="Mails and push messages that somebody waits for: tickets, refunds.",
        pool="messages",
        promise_seconds=60,
    ),
    Queue(
        "payments",
        purpose="Money: what became of payments, and refunds. Never behind a flood of mails.",
        pool="messages",
        promise_seconds=30,
    ),
    Queue(
        "refunds",
        purpose="Refunds of cancelled shows, at the provider's rate. Behind what somebody does by hand.",
        pool="messages",
        # 60,000 at 25 a second are 40 minutes, and two shows may be cancelled on one day.
        promise_seconds=3 * 3600,
        priority=6,
    ),
    Queue(
        "bulk",
        purpose="Mails that many get at once: reminders, openings of sales. They take what the others leave of a rate.",
        pool="messages",
        # 60,000 at a provider that takes ten a second are 100 minutes.
        promise_seconds=3 * 3600,
        priority=7,
    ),
    Queue(
        "links",
        purpose="Looks at the targets of new links, which somebody waits for.",
        pool="messages",
        promise_seconds=60,
    ),
    Queue(
        "checks",
        purpose="Looks again at the targets of links that are served.",
        pool="messages",
        promise_seconds=3600,
        priority=8,
    ),
)
