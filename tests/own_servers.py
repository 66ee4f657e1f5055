"""Test processes side by side: each has its own Redis databases, RabbitMQ virtual host and folder of files.

One set of servers serves them all: ``python -m deploy.local run --test-processes N`` starts it and makes the virtual
hosts. The PostgreSQL database of each process is pytest-django's work.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

BROKERS = ("BROKER_URL", "REDIS_URL", "TEST_BROKER_URL_REDIS", "TEST_BROKER_URL_RABBITMQ")
DATABASES_EACH = 3
"""Redis databases of one process, as many as the servers' environment names: cache, broker, the tests' broker."""
TAKEN = "TEST_SERVERS_OF"


def take_own_servers() -> None:
    """In a process of pytest-xdist, name its own servers in the environment, for it and for whatever it starts."""
    process = os.environ.get("PYTEST_XDIST_WORKER")
    if process is not None and os.environ.get(TAKEN) != process:
        os.environ.update(own_addresses(os.environ, process=process), **{TAKEN: process})


def own_addresses(environment: Mapping[str, str], *, process: str) -> dict[str, str]:
    """The variables of ``environment`` that are others in ``process``, which xdist calls gw0, gw1 and so on."""
    number = int(process.removeprefix("gw"))
    own = {name: _own(environment[name], process, number) for name in BROKERS if environment.get(name)}
    if environment.get("MEDIA_ROOT"):
        own["MEDIA_ROOT"] = f"{environment['MEDIA_ROOT']}/{process}"
    return own


def _own(url: str, process: str, number: int) -> str:
    parts = urlsplit(url)
    if parts.scheme.startswith("redis"):
        database = int(parts.path.strip("/") or 0) + DATABASES_EACH * (number + 1)
        return urlunsplit(parts._replace(path=f"/{database}"))
    return urlunsplit(parts._replace(path=f"/{process}"))
