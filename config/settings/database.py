"""PostgreSQL: a pool in web processes, plain persistent connections everywhere else.

The engine notices a dead worker by its database session, and a pool that recycles connections would hide it. So
only ``config/wsgi.py`` asks for a pool.
"""

from typing import Any

import environ

from config.environment import read

_database: dict[str, Any] = environ.Env.db_url_config(read("DATABASE_URL"))
_pool_size = read("DATABASE_POOL_SIZE")

_database["ENGINE"] = "django.db.backends.postgresql"
_database["OPTIONS"] = {
    **_database.get("OPTIONS", {}),
    "connect_timeout": 5,
    "application_name": "boxoffice",
    # A lost network must not hold a process for the two hours of the kernel's default.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
if _pool_size:
    # One process that stands still in the middle of a sale keeps its seats locked, and whoever wants one of them waits.
    # Without an end to both, all threads of all web processes soon wait, and even other shows cannot be seen. A sale
    # takes milliseconds; who waited in vain reads that he should try again.
    _limits = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=10s"
    _database["OPTIONS"]["options"] = f"{_database['OPTIONS'].get('options', '')} {_limits}".strip()
    _database["OPTIONS"]["pool"] = {"min_size": 1, "max_size": _pool_size, "timeout": 5, "max_idle": 300}
else:
    _database["CONN_MAX_AGE"] = None
    # The ledger's transitions are prepared statements: a third of the time of a plain one.
    _database["OPTIONS"]["prepare_threshold"] = 2

DATABASES = {"default": _database}

SESSION_ENGINE = "config.sessions"
