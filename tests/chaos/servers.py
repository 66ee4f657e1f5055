"""PostgreSQL, Redis and RabbitMQ of the chaos run, which may be killed, stopped, emptied and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import redis

from deploy.local.checkout import Instance
from deploy.local.child_server import bare_environment
from deploy.local.instance_lock import hold_instance
from deploy.local.leftovers import end_recorded, processes_folder
from deploy.local.ports import Ports
from deploy.local.postgres import Postgres
from deploy.local.postmaster import running_server
from deploy.local.processes import is_alive, recorded, wait_until
from deploy.local.rabbitmq import NODE, SCRIPTS, RabbitMQ
from deploy.local.redis import Redis
from deploy.local.secret_keys import secret_keys

GONE_SECONDS = 30


class Servers:
    """The servers of one run. Each keeps its port when it comes back."""

    def __init__(self, *, instance: Instance, rabbitmq: bool) -> None:
        self.folder = instance.folder
        self._ports = Ports(file=instance.folder / "ports.json")
        keys = secret_keys(file=instance.local / "secrets.env")
        required = ("SECRET_KEY", "TICKET_SIGNING_KEYS", "STRIPE_API_KEY", "STRIPE_WEBHOOK_SECRET")
        self.keys = {name: keys[name] for name in required}
        self.postgres = Postgres(instance=instance, password=keys["POSTGRES_PASSWORD"], safe_against_power_loss=False)
        self.redis = Redis(instance=instance, password=keys["REDIS_PASSWORD"])
        self.rabbitmq = (
            RabbitMQ(instance=instance, password=keys["RABBITMQ_PASSWORD"], ports=self._ports) if rabbitmq else None
        )
        self._port: dict[str, int] = {}

    def start(self) -> None:
        """Begin without data."""
        services = {"postgres": self.postgres, "redis": self.redis}
        if self.rabbitmq is not None:
            services["rabbitmq"] = self.rabbitmq  # type: ignore[assignment]
        for name, service in services.items():
            service.end_leftover()
            service.wipe()
            self._port[name] = self._ports.port_for(name)
        with ThreadPoolExecutor() as threads:
            started = [threads.submit(service.start, port=self._port[name]) for name, service in services.items()]
            for one in started:
                one.result(60)

    def stop(self) -> None:
        for service in (self.rabbitmq, self.redis, self.postgres):
            if service is not None:
                service.stop()

    def web_port(self) -> int:
        return self._ports.port_for("web")

    def broker_url(self, name: str) -> str:
        return self.redis.url(1) if name == "redis" else self._node().url

    def kill_broker(self, name: str) -> None:
        """SIGKILL, as when its machine goes."""
        self._signal_broker(name, signal.SIGKILL)
        self.stop_broker(name)  # reaps it

    def stop_broker(self, name: str) -> None:
        (self.redis if name == "redis" else self._node()).stop()

    def start_broker(self, name: str, *, empty: bool = False) -> None:
        """Start it again on its data, or without any, as on a new disk."""
        service = self.redis if name == "redis" else self._node()
        if empty:
            service.wipe()
        service.start(port=self._port[name])

    def pause_broker(self, name: str) -> None:
        self._signal_broker(name, signal.SIGSTOP)

    def resume_broker(self, name: str) -> None:
        self._signal_broker(name, signal.SIGCONT)

    def cut_broker_connections(self, name: str) -> None:
        """Close every client's connection at the broker's side."""
        if name == "redis":
            with redis.Redis.from_url(self.redis.url(1), socket_timeout=20) as client:
                client.client_kill_filter(_type="normal", skipme=True)
                client.client_kill_filter(_type="pubsub")
            return
        environment = bare_environment(
            HOME=str(self.folder / "rabbitmq"),  # the cookie lies there
            ERL_EPMD_PORT=str(json.loads((self.folder / "ports.json").read_text())["epmd"]),
            RABBITMQ_NODENAME=NODE,
            RABBITMQ_CONF_ENV_FILE=str(self.folder / "rabbitmq/no-environment-file"),
        )
        subprocess.run(
            [SCRIPTS / "rabbitmqctl", "close_all_connections", "chaos"],
            env=environment,
            check=True,
            capture_output=True,
            timeout=60,
        )

    def stop_postgres(self, how: signal.Signals) -> None:
        """SIGINT is the fast shutdown, SIGQUIT the immediate one: a crash, after which the log is replayed."""
        server = running_server(self.postgres.data)
        assert server is not None
        os.kill(server.pid, how)
        assert wait_until(lambda: not is_alive(server), seconds=GONE_SECONDS)

    def start_postgres(self) -> None:
        self.postgres.start(port=self._port["postgres"])

    def _signal_broker(self, name: str, number: signal.Signals) -> None:
        process = recorded(self.folder / name / "process.json")
        assert process is not None
        os.killpg(process.pid, number)

    def _node(self) -> RabbitMQ:
        assert self.rabbitmq is not None
        return self.rabbitmq


@contextmanager
def chaos_servers(*, rabbitmq: bool) -> Iterator[Servers]:
    """Servers under ``.local/chaos`` while the block runs; those of a run that was killed are ended first."""
    instance = Instance("chaos")
    with hold_instance(instance, purpose="The chaos run"), ExitStack() as stack:
        end_recorded(processes_folder(instance))
        servers = Servers(instance=instance, rabbitmq=rabbitmq)
        stack.callback(servers.stop)
        servers.start()
        yield servers
