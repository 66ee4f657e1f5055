"""The services of one instance, and the environment variables that tell BoxOffice where they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Protocol

from deploy.local.checkout import Instance
from deploy.local.errors import LocalError
from deploy.local.instance_lock import announce, hold_instance, withdraw
from deploy.local.leftovers import end_recorded, processes_folder
from deploy.local.ports import Ports
from deploy.local.postgres import Postgres
from deploy.local.rabbitmq import RabbitMQ
from deploy.local.redis import Redis
from deploy.local.run_command import with_our_programs
from deploy.local.secret_keys import secret_keys
from deploy.local.signals import undisturbed

BROKERS = ("redis", "rabbitmq")
# The numbered databases of the one Redis server.
CACHE, BROKER, TEST_BROKER = 0, 1, 2
HANDED_ON = (
    "SECRET_KEY",
    "TICKET_SIGNING_KEYS",
    "STRIPE_API_KEY",
    "STRIPE_WEBHOOK_SECRET",
    "MAIL_WEBHOOK_SECRET",
    "VAPID_PRIVATE_KEY",
    "STAFF_PASSWORD",
    "DOOR_PASSWORD",
    "ROLE_PASSWORD",
)


class Service(Protocol):
    """A server that can be started and stopped, and that knows what a killed run left of it."""

    def end_leftover(self) -> None: ...
    def wipe(self) -> None: ...
    def start(self, *, port: int) -> None: ...
    def stop(self) -> None: ...


@contextmanager
def local_services(
    *,
    instance: Instance,
    brokers: Sequence[str] = ("redis",),
    fresh: bool = False,
    safe_against_power_loss: bool = True,
    test_processes: int = 1,
    given: Mapping[str, str] | None = None,
) -> Iterator[dict[str, str]]:
    """Run the services of the instance while the block runs; yields the environment for BoxOffice.

    ``brokers`` are all started; the first one is the BROKER_URL. A service whose address stands in ``given``
    (``os.environ`` by default: DATABASE_URL, BROKER_URL, REDIS_URL) is not started, and whatever ``given`` sets
    is kept. ``fresh`` begins without data. ``test_processes`` is how many processes of pytest-xdist will run at once:
    each finds a virtual host of RabbitMQ named after it; brokers that are given serve one process. Raises LocalError
    with a sentence that says what to do.
    """
    given = {name: value for name, value in (os.environ if given is None else given).items() if value}
    for broker in brokers:
        if broker not in BROKERS:
            raise LocalError(f"There is no broker {broker!r} here. Set BROKER to one of: {', '.join(BROKERS)}.")
    purpose = f"The run “{' '.join(sys.argv[1:]) or instance.name}”"
    with hold_instance(instance, purpose=purpose), ExitStack() as stack:
        end_recorded(processes_folder(instance))  # before their servers go, and while they hold the ports
        ports = Ports(file=instance.folder / "ports.json")

        def run(service: Service, name: str) -> None:
            service.end_leftover()
            if fresh:
                service.wipe()
            stack.callback(_stop, service)
            service.start(port=ports.port_for(name))

        keys = secret_keys(file=instance.local / "secrets.env")
        ours = {name: keys[name] for name in HANDED_ON}
        ours["MEDIA_ROOT"] = str(instance.folder / "media")
        broker_urls = {}
        if "DATABASE_URL" not in given:
            postgres = Postgres(
                instance=instance,
                password=keys["POSTGRES_PASSWORD"],
                safe_against_power_loss=safe_against_power_loss,
            )
            run(postgres, "postgres")
            ours["DATABASE_URL"] = postgres.url
        if "REDIS_URL" not in given or ("BROKER_URL" not in given and "redis" in brokers):
            redis = Redis(instance=instance, password=keys["REDIS_PASSWORD"])
            run(redis, "redis")
            ours["REDIS_URL"] = redis.url(CACHE)
            ours["TEST_BROKER_URL_REDIS"] = redis.url(TEST_BROKER)
            broker_urls["redis"] = redis.url(BROKER)
        if "BROKER_URL" not in given and "rabbitmq" in brokers:
            rabbitmq = RabbitMQ(instance=instance, password=keys["RABBITMQ_PASSWORD"], ports=ports)
            run(rabbitmq, "rabbitmq")
            broker_urls["rabbitmq"] = ours["TEST_BROKER_URL_RABBITMQ"] = rabbitmq.url
            if test_processes > 1:
                rabbitmq.add_virtual_hosts([f"gw{number}" for number in range(test_processes)])
        if "BROKER_URL" not in given and brokers:
            ours["BROKER_URL"] = broker_urls[brokers[0]]
        if not given.keys() & {"BROKER_URL", "REDIS_URL"}:
            ours["TEST_PROCESSES"] = str(test_processes)

        environment = {**ours, **given, "PATH": with_our_programs(given.get("PATH", os.defpath))}
        announce(instance, environment)
        stack.callback(withdraw, instance)
        yield environment


def _stop(service: Service) -> None:
    with undisturbed():
        service.stop()
