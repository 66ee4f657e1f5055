"""The settings of the measurements: production's, and a queue for jobs that do nothing."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS, LEDGER_QUEUES, LEDGER_TASKS
from jobs.broker.topology import work_queues
from jobs.queues import Queue

INSTALLED_APPS = [*INSTALLED_APPS, "bench"]

BENCH_QUEUE = Queue("bench", purpose="Jobs of the measurements.")
LEDGER_QUEUES = (*LEDGER_QUEUES, BENCH_QUEUE)  # type: ignore[assignment]
# The mails' queues are those of bench/mail_settings.py; here they are only known.
LEDGER_TASKS = {
    **LEDGER_TASKS,
    "bench.nothing": BENCH_QUEUE.name,
    "bench.tell": BENCH_QUEUE.name,
    "bench.tell_many": BENCH_QUEUE.name,
}
CELERY_TASK_QUEUES = work_queues(LEDGER_QUEUES)
LEDGER_SCHEDULE = ()
