"""``python -m tests.chaos``: see ``--help``, and docs/chaos.md."""

from __future__ import annotations

import argparse
import os
import random
import sys

from deploy.local.errors import LocalError
from deploy.local.rabbitmq import is_installed
from deploy.local.signals import end_in_good_order
from tests.chaos.servers import Servers, chaos_servers

JOBS, SHORT_JOBS = 400, 60
BROKERS = ("redis", "rabbitmq")


def main() -> int:
    options = _options()
    end_in_good_order()
    if "rabbitmq" in options.broker and not is_installed():
        sys.exit("RabbitMQ is not installed. Run: sudo apt-get install rabbitmq-server, or choose --broker redis.")
    try:
        with chaos_servers(rabbitmq="rabbitmq" in options.broker) as servers:
            _set_up_django(servers)
            from tests.chaos.runner import run_all

            return run_all(servers, options)
    except LocalError as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        return 130


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--short", action="store_true", help="fewer faults with fewer jobs, for CI")
    parser.add_argument("--broker", action="append", choices=BROKERS, help="only this one")
    parser.add_argument("--only", metavar="TEXT", action="append", help="only faults whose name, as printed, has this")
    parser.add_argument("--jobs", type=int, help=f"jobs for each fault: {JOBS}, or {SHORT_JOBS} in the short form")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="what random harm is drawn from")
    parser.add_argument("--sabotage", help="break the engine in this way, to see that it is found: see sabotage.py")
    parser.add_argument("--output", action="store_true", help="show the end of each process's output after every line")
    options = parser.parse_args()
    options.broker = options.broker or list(BROKERS)
    options.jobs = options.jobs or (SHORT_JOBS if options.short else JOBS)
    return options


def _set_up_django(servers: Servers) -> None:
    """Django is set up only now, when the database has an address."""
    os.environ.update(
        servers.keys,
        DJANGO_SETTINGS_MODULE="tests.chaos.settings",
        DATABASE_URL=servers.postgres.url,
        REDIS_URL=servers.redis.url(0),
        BROKER_URL=servers.broker_url("redis"),
        LOG_FORMAT="json",
        LOG_LEVEL="ERROR",  # this process's own, whose wake-ups fail while PostgreSQL is away
        PYTHONUNBUFFERED="1",
        PYTHONWARNINGS="ignore:You're running the worker with superuser privileges",
    )
    for name in ("TEST_BROKER_URL_REDIS", "TEST_BROKER_URL_RABBITMQ", "FAILPOINTS", "SABOTAGE"):
        os.environ.pop(name, None)
    import django

    django.setup()


if __name__ == "__main__":
    sys.exit(main())
