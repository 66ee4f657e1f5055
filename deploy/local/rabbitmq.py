"""A private RabbitMQ node from Debian's package ``rabbitmq-server``, beside whatever node the machine runs.

The scripts in /usr/sbin insist on the account ``rabbitmq``; those in /usr/lib/rabbitmq/bin run for everybody.
The node has its own name, cookie, port mapper (epmd) and folders, reads nothing from /etc/rabbitmq, and all three
of its listeners (AMQP, Erlang's distribution, epmd) are bound to 127.0.0.1.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import amqp

from deploy.local.checkout import Instance
from deploy.local.child_server import ChildServer, bare_environment
from deploy.local.errors import ProgramMissing, ServiceFailed
from deploy.local.ports import HOST, Ports, is_free

SCRIPTS = Path("/usr/lib/rabbitmq/bin")
USER = "boxoffice"
NODE = "boxoffice@localhost"
START_SECONDS = 120
EPMD_SECONDS = 10

SETTINGS = """\
listeners.tcp.1 = {host}:{port}
default_user = {user}
default_pass = {password}
default_permissions.configure = .*
default_permissions.read = .*
default_permissions.write = .*
default_user_tags.administrator = true
log.file.level = info
log.console = true
log.console.level = warning
disk_free_limit.absolute = 64MB
"""


class RabbitMQ:
    """The RabbitMQ node of one instance, with the port mapper that it needs."""

    def __init__(self, *, instance: Instance, password: str, ports: Ports) -> None:
        if not is_installed():
            raise ProgramMissing(
                "RabbitMQ is not installed. Run: sudo apt-get install rabbitmq-server, or set BROKER_URL."
            )
        self._password = password
        self._ports = ports
        self._folder = instance.folder / "rabbitmq"
        self._mapper_folder = instance.folder / "epmd"
        for folder in (self._folder, self._mapper_folder):
            folder.mkdir(mode=0o700, exist_ok=True)
        self._mapper = ChildServer(name="Erlang's port mapper", folder=self._mapper_folder)
        self._node = ChildServer(name="RabbitMQ", folder=self._folder)
        self._port = 0
        self._environment: dict[str, str] = {}

    @property
    def url(self) -> str:
        return f"amqp://{USER}:{self._password}@{HOST}:{self._port}//"

    def add_virtual_hosts(self, names: Sequence[str]) -> None:
        """Make rooms beside the one of ``url``, with queues of their own; keep those that exist. The node must run."""
        right = {"user": USER, "configure": ".*", "write": ".*", "read": ".*"}
        wanted = {
            "vhosts": [{"name": name} for name in names],
            "permissions": [{"vhost": name, **right} for name in names],
        }
        file = self._folder / "virtual_hosts.json"
        file.write_text(json.dumps(wanted))
        added = subprocess.run(
            [SCRIPTS / "rabbitmqctl", "import_definitions", file],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=START_SECONDS,
        )
        if added.returncode != 0:
            raise ServiceFailed(f"RabbitMQ did not take its virtual hosts.\n{added.stderr or added.stdout}")

    def end_leftover(self) -> None:
        """End the node and the port mapper that a killed run left behind."""
        self._node.end()
        self._mapper.end()

    def wipe(self) -> None:
        """Remove all queues and messages. The node must not run."""
        shutil.rmtree(self._folder / "mnesia", ignore_errors=True)

    def start(self, *, port: int) -> None:
        """Start port mapper and node, and wait until it takes AMQP connections. Raises ServiceFailed."""
        self._port = port
        mapper_port = self._ports.port_for("epmd")
        distribution_port = self._ports.port_for("rabbitmq-distribution")
        self._mapper.start(
            ["epmd", "-port", str(mapper_port), "-address", HOST],
            environment=bare_environment(),
            answers=lambda: not is_free(mapper_port),
            seconds=EPMD_SECONDS,
        )
        self._environment = self._environment_with(mapper_port, distribution_port)
        settings = self._folder / "rabbitmq.conf"
        settings.touch(mode=0o600)
        settings.write_text(SETTINGS.format(host=HOST, port=port, user=USER, password=self._password))
        (self._folder / "enabled_plugins").write_text("[].\n")
        self._node.start(
            [SCRIPTS / "rabbitmq-server"],
            environment=self._environment,
            answers=self._answers,
            seconds=START_SECONDS,
        )

    def stop(self) -> None:
        """End the node and then its port mapper; durable messages are on disk afterwards."""
        self.end_leftover()

    def _environment_with(self, mapper_port: int, distribution_port: int) -> dict[str, str]:
        folder = self._folder
        return bare_environment(
            HOME=str(folder),  # the cookie lies there
            ERL_EPMD_PORT=str(mapper_port),
            ERL_EPMD_ADDRESS=HOST,
            RABBITMQ_NODENAME=NODE,
            RABBITMQ_DIST_PORT=str(distribution_port),
            RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}",
            RABBITMQ_CONFIG_FILE=str(folder / "rabbitmq.conf"),
            RABBITMQ_CONF_ENV_FILE=str(folder / "no-environment-file"),
            RABBITMQ_ADVANCED_CONFIG_FILE=str(folder / "no-advanced-file.config"),
            RABBITMQ_ENABLED_PLUGINS_FILE=str(folder / "enabled_plugins"),
            RABBITMQ_MNESIA_BASE=str(folder / "mnesia"),
            RABBITMQ_LOG_BASE=str(folder / "logs"),
            RABBITMQ_GENERATED_CONFIG_DIR=str(folder / "generated"),
            RABBITMQ_PID_FILE=str(folder / "pid"),
            # Makes the script become the node instead of watching over it: the recorded id is the node's own.
            detached="true",
        )

    def _answers(self) -> bool:
        if is_free(self._port):
            return False
        try:
            with amqp.Connection(f"{HOST}:{self._port}", USER, self._password, connect_timeout=2):
                return True
        except amqp.exceptions.AccessRefused as error:
            raise ServiceFailed(
                f"The node in {self._folder} was made with another password than .local/secrets.env holds. "
                f"Bring that file back, or remove {self._folder} to start without messages."
            ) from error
        except (OSError, amqp.exceptions.AMQPError):
            return False


def is_installed() -> bool:
    """Whether Debian's RabbitMQ and its Erlang are on this machine."""
    return (SCRIPTS / "rabbitmq-server").exists() and shutil.which("epmd") is not None
