"""The settings of the measurements beside django-celery-outbox: its tables, and queues that take a whole round of ours.

What a relay hands out it counts against the window, and nobody takes anything away here.
"""

from bench.outbox_package import provide_outbox

provide_outbox()

from bench.settings import *  # noqa: E402, F403
from bench.settings import INSTALLED_APPS, LEDGER_QUEUES, LEDGER_TASKS  # noqa: E402
from jobs.broker.topology import work_queues  # noqa: E402
from jobs.queues import MAX_LENGTH, Queue  # noqa: E402

INSTALLED_APPS = [*INSTALLED_APPS, "django_celery_outbox"]
CELERY_OUTBOX_APP = "bench.outbox.app"
MONITORING_METRICS_ENABLED = False  # it would send a datagram for each message

BENCH_QUEUES = tuple(
    Queue(f"bench_relay_{number}", purpose="Jobs that are relayed.", window=MAX_LENGTH // 4) for number in (1, 2)
)
LEDGER_QUEUES = (*LEDGER_QUEUES, *BENCH_QUEUES)  # type: ignore[assignment]
LEDGER_TASKS = {**LEDGER_TASKS, **{f"bench.relayed_{queue.name}": queue.name for queue in BENCH_QUEUES}}
CELERY_TASK_QUEUES = work_queues(LEDGER_QUEUES)
