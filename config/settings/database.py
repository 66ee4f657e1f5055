"""PostgreSQL: a pool in web processes, plain persistent connections everywhere else.

The engine notices a dead worker by its database session, and a pool that recycles connections would hide it. So
only ``config/wsgi.py`` asks for a pool. A pooler that stands before PostgreSQL and lends its sessions for one
transaction has to be declared; then nothing here relies on a session.
"""

from typing import Any

import environ

from config.environment import read
from config.shards import shards

_pool_size = read("DATABASE_POOL_SIZE")
_pooler = read("DATABASE_POOLER")


def _database(url: str) -> dict[str, Any]:
    database: dict[str, Any] = environ.Env.db_url_config(url)
    database["ENGINE"] = "django.db.backends.postgresql"
    database["POOLER"] = _pooler  # jobs/pooler.py reads it
    database["OPTIONS"] = options = {
        **database.get("OPTIONS", {}),
        "connect_timeout": 5,
        "application_name": "boxoffice",
        # A lost network must not hold a process for the two hours of the kernel's default.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        # They are not sent while something that we wrote is not acknowledged: that is tried again for a quarter of
        # an hour, unless it is told when to give up (milliseconds).
        "tcp_user_timeout": 25_000,
    }
    if _pooler == "transaction":
        # A cursor of the server's would be in another session than the next transaction.
        database["DISABLE_SERVER_SIDE_CURSORS"] = True
    if _pool_size:
        options["pool"] = {"min_size": 1, "max_size": _pool_size, "timeout": 5, "max_idle": 300}
    else:
        database["CONN_MAX_AGE"] = None
    if _pool_size and _pooler == "none":
        # One process that stands still in the middle of a sale keeps its seats locked, and whoever wants one of them
        # waits. Without an end to both, all threads of all web processes soon wait, and even other shows cannot be
        # seen. A sale takes milliseconds; who waited in vain reads that he should try again. Behind a pooler these
        # limits are the role's.
        limits = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=10s"
        options["options"] = f"{options.get('options', '')} {limits}".strip()
    if not _pool_size and _pooler == "none":
        # The ledger's transitions are prepared statements: a third of the time of a plain one.
        options["prepare_threshold"] = 2
    return database


DATABASES = {"default": _database(read("DATABASE_URL"))} | {
    alias: _database(url) for alias, url in shards(read("DATABASE_SHARDS")).items()
}

SESSION_ENGINE = "config.sessions"
