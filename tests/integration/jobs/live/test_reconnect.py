"""The broker restarts, dies or hangs up: afterwards every worker consumes again, which its own jobs prove.

The watchdog is far too slow here to have a part in it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from pytest_django.plugin import DjangoDbBlocker

from deploy.local.checkout import Instance
from deploy.local.ports import Ports
from deploy.local.processes import is_alive, recorded
from deploy.local.rabbitmq import SCRIPTS, RabbitMQ
from deploy.local.redis import Redis
from jobs.models import Job
from tests.fixtures_jobs import broker_url, end_between_tests, environment
from tests.ledger import assert_marked_once, real_commits, wait_for_state, wait_until_done
from tests.processes import System, wait_for

pytestmark = real_commits


class PrivateBroker(ABC):
    """A broker of these tests alone, which may be killed."""

    server: Redis | RabbitMQ
    url: str

    def __init__(self, instance: Instance) -> None:
        self.folder = instance.folder
        self.ports = Ports(file=instance.folder / "ports.json")

    @property
    @abstractmethod
    def record(self) -> Path:
        """Where the server's process is written down."""

    @abstractmethod
    def close_connections(self) -> None:
        """Hang up on all clients."""

    def restart(self) -> None:
        self.server.stop()
        self.server.start(port=self.port)

    def restart_after_kill(self) -> None:
        process = recorded(self.record)
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        wait_for(lambda: not is_alive(process), what="it is dead")
        self.restart()

    @property
    def port(self) -> int:
        return int(json.loads((self.folder / "ports.json").read_text())["broker"])


class PrivateRedis(PrivateBroker):
    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.server = Redis(instance=instance, password="private")
        self.server.start(port=self.ports.port_for("broker"))
        self.url = self.server.url(0)

    @property
    def record(self) -> Path:
        return self.folder / "redis/process.json"

    def close_connections(self) -> None:
        with redis.Redis.from_url(self.url, socket_timeout=20) as client:
            client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            client.execute_command("CLIENT", "KILL", "TYPE", "pubsub")


class PrivateRabbitMQ(PrivateBroker):
    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.server = RabbitMQ(instance=instance, password="private", ports=self.ports)
        self.server.start(port=self.ports.port_for("broker"))
        self.url = self.server.url

    @property
    def record(self) -> Path:
        return self.folder / "rabbitmq/process.json"

    def close_connections(self) -> None:
        node = recorded(self.record)
        assert node is not None
        variables = Path(f"/proc/{node.pid}/environ").read_bytes().split(b"\0")
        subprocess.run(
            [SCRIPTS / "rabbitmqctl", "close_all_connections", "a test"],
            env={os.fsdecode(name): os.fsdecode(value) for name, _, value in (v.partition(b"=") for v in variables)},
            check=True,
            capture_output=True,
            timeout=120,
        )


BROKERS = {"redis": PrivateRedis, "rabbitmq": PrivateRabbitMQ}


@pytest.fixture(scope="module", params=BROKERS)
def private_broker(request: pytest.FixtureRequest) -> Iterator[PrivateBroker]:
    broker_url(request.param)  # skips where the machine has none
    folder = Path(tempfile.mkdtemp(prefix="broker "))
    instance = Instance("private", root=folder)
    instance.create()
    broker = BROKERS[request.param](instance)
    yield broker
    broker.server.stop()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def private_system(
    private_broker: PrivateBroker, no_live_system: None, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[System]:
    with django_db_blocker.unblock():
        system = System({**environment(private_broker.url), "TEST_WATCHDOG_SECONDS": "600"})
    for process in (
        system.start_relay(wait=False),
        *(system.start_worker(wait=False) for _ in range(2)),
    ):
        process.wait_until_ready()
    yield system
    end_between_tests(system, blocker=django_db_blocker)


@pytest.mark.parametrize("fault", ["restart", "restart_after_kill", "close_connections"])
def test_every_worker_consumes_again(
    fault: str, private_broker: PrivateBroker, private_system: System, enqueued: Callable[..., int]
) -> None:
    workers = {process.name for process in private_system.processes if process.name != "relay"}

    def enqueue_some(name: str, count: int) -> list[int]:
        return [enqueued("probe.call", key=f"{name} {number}", seconds=0.05) for number in range(count)]

    before = enqueue_some("before", 40)
    wait_for(lambda: Job.objects.filter(state="done").exists(), what="they are at work")
    getattr(private_broker, fault)()

    after: list[int] = []

    def both_have_run_some() -> bool:
        after.extend(enqueue_some(f"after {len(after)}", 8))
        wait_until_done(after, seconds=40)
        names = Job.objects.filter(pk__in=after).values_list("worker", flat=True)
        return {name.partition("@")[0] for name in names} == workers

    wait_for(both_have_run_some, seconds=40, what="both workers run new jobs")
    wait_until_done(before)
    assert_marked_once([args["key"] for args in Job.objects.values_list("args", flat=True)])
    assert all(process.alive for process in private_system.processes)


def test_a_worker_that_is_told_to_stop_while_its_broker_is_away_hands_its_job_back_all_the_same(
    private_broker: PrivateBroker, private_system: System, enqueued: Callable[..., int]
) -> None:
    """The last test here: the broker stays away."""
    job_id = enqueued("probe.take_long", key="long", seconds=25)
    running = wait_for_state(job_id, "running")
    worker = next(process for process in private_system.processes if running.worker.startswith(f"{process.name}@"))
    before = len(worker.output)
    private_broker.server.stop()
    wait_for(lambda: any("Trying again in" in line for line in worker.output[before:]), what="it looks for its broker")
    assert worker.terminate(seconds=12) == 0
    assert any("job_handed_back" in line for line in worker.output)
    back = wait_for_state(job_id, "waiting")
    assert (back.attempts, back.deliveries) == (0, 0)
