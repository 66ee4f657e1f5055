"""The ledger: its queues and routes, and Celery as its conveyor.

Every value here answers a way in which Celery or a broker loses or repeats work; ``docs/architecture.md`` tells
which, and the start-up checks refuse the dangerous opposites.
"""

import ssl
from urllib.parse import urlsplit

from config.destinations import DESTINATIONS
from config.environment import read
from config.queues import POOLS, QUEUES
from config.routes import EVENTS, TASKS
from config.schedule import SCHEDULE
from config.settings import metrics as _metrics  # noqa: F401  (its folder is there before anything counts)
from jobs.broker.topology import work_queues

BROKER_URL = read("BROKER_URL")
REDIS_URL = read("REDIS_URL")
BROKER_IS_AMQP = urlsplit(BROKER_URL).scheme in {"amqp", "amqps", "pyamqp"}

LEDGER_POOLS = POOLS
LEDGER_QUEUES = QUEUES
LEDGER_DESTINATIONS = DESTINATIONS
LEDGER_EVENTS = EVENTS
LEDGER_TASKS = TASKS
LEDGER_SCHEDULE = SCHEDULE

# The slow way, to compare with: jobs/in_request.py.
LEDGER_RUNS_IN_REQUEST = read("NOTIFY_MODE") == "sync"

# How often a worker looks whether messages wait that it does not hear of; it acts after three looks in vain.
LEDGER_WATCHDOG_SECONDS = 5.0

CELERY_BROKER_URL = BROKER_URL
CELERY_BROKER_TRANSPORT = None if BROKER_IS_AMQP else "jobs.broker.envelopes:GuardedTransport"
# kombu's own default for rediss:// does not look at the certificate.
CELERY_BROKER_USE_SSL = {"ssl_cert_reqs": ssl.CERT_REQUIRED} if urlsplit(BROKER_URL).scheme == "rediss" else False
CELERY_BROKER_CONNECTION_TIMEOUT = 5
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A broker that refuses one command (Redis out of memory, say) closes a channel; a worker would end itself over it.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_BROKER_POOL_LIMIT = 2
CELERY_BROKER_POOL_ACQUIRE_TIMEOUT = 5
CELERY_BROKER_HEARTBEAT = 20
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"confirm_publish": True, "read_timeout": 30, "write_timeout": 10}
    if BROKER_IS_AMQP
    else {
        # Longer than any lease: Redis may deliver a job twice, the ledger decides which delivery counts.
        "visibility_timeout": 2 * max(int(queue.lease_seconds) for queue in QUEUES) + 60,
        "socket_timeout": 30,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
    }
)

CELERY_TASK_ACKS_LATE = True
CELERY_TASK_ACKS_ON_FAILURE = False
CELERY_TASK_ACKS_ON_TIMEOUT = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_TASK_RETRY_ON_WORKER_LOST = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_CREATE_MISSING_QUEUES = False
CELERY_TASK_QUEUES = work_queues(QUEUES)
CELERY_TASK_DEFAULT_QUEUE = QUEUES[0].name
CELERY_TASK_DEFAULT_EXCHANGE = ""
CELERY_TASK_SEND_SENT_EVENT = False
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_BACKEND = None

CELERY_WORKER_CONSUMER = "jobs.worker.consumer:LedgerConsumer"
CELERY_WORKER_PREFETCH_MULTIPLIER = 4
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = True
CELERY_WORKER_SEND_TASK_EVENTS = False
# How long a worker that is told to stop waits for its running jobs; what still runs then is handed back. Celery's own
# switch for idle workers, worker_enable_soft_shutdown_on_idle, means nothing here: ours leaves when nothing runs.
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10
CELERY_WORKER_DETECT_QUORUM_QUEUES = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# Celery would otherwise close the database connection after each job; the base task drops broken ones itself.
CELERY_DB_REUSE_MAX = 1_000_000_000

CELERY_BEAT_SCHEDULER = "jobs.scheduler:LedgerScheduler"
# Beat needs PostgreSQL only; its remote control would be a connection to the broker.
CELERY_BEAT_ENABLE_REMOTE_CONTROL = False
