"""A private RabbitMQ node: its own in everything, closed to the outside, and gone when it is told to go."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import amqp
import pytest

from deploy.local.checkout import Instance
from deploy.local.errors import ProgramMissing, ServiceFailed
from deploy.local.ports import HOST, Ports
from deploy.local.processes import ProcessId, is_alive, recorded
from deploy.local.rabbitmq import USER, RabbitMQ, is_installed

# As /proc/net writes 127.0.0.1 and ::1.
LOOPBACK = {"0100007F", "00000000000000000000000001000000"}


def listens_on(pid: int) -> set[str]:
    """The addresses on which the process accepts connections."""
    sockets = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            sockets.add(os.readlink(entry))
    addresses = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                addresses.add(fields[1].split(":")[0])
    assert addresses
    return addresses


@pytest.fixture
def start(instance: Instance) -> Iterator[Callable[[str], RabbitMQ]]:
    """Starts the instance's node, as one run after another does; none of them outlives the test."""
    nodes: list[RabbitMQ] = []

    def _start(password: str) -> RabbitMQ:
        ports = Ports(file=instance.folder / "ports.json")
        nodes.append(RabbitMQ(instance=instance, password=password, ports=ports))
        nodes[-1].end_leftover()
        nodes[-1].start(port=ports.port_for("rabbitmq"))
        return nodes[-1]

    yield _start
    for node in nodes:
        node.stop()


def processes(instance: Instance) -> list[ProcessId]:
    """The node and its port mapper, as they are recorded."""
    found = [recorded(instance.folder / name / "process.json") for name in ("rabbitmq", "epmd")]
    return [process for process in found if process is not None]


def connect(server: RabbitMQ, *, virtual_host: str = "/") -> amqp.Connection:
    port = int(server.url.rpartition(":")[2].rstrip("/"))
    return amqp.Connection(f"{HOST}:{port}", USER, "secret", virtual_host=virtual_host)


def publish(server: RabbitMQ, text: str) -> None:
    with connect(server) as connection, connection.channel() as channel:
        channel.queue_declare("kept", durable=True, auto_delete=False)
        channel.basic_publish_confirm(amqp.Message(text, delivery_mode=2), routing_key="kept")


@pytest.mark.rabbitmq
@pytest.mark.skipif(not is_installed(), reason="no RabbitMQ: sudo apt-get install rabbitmq-server")
def test_a_node_left_behind_by_a_killed_run_is_ended_and_its_messages_are_kept(
    instance: Instance, start: Callable[[str], RabbitMQ]
) -> None:
    """One test, for a node takes seconds to start; in a folder with a space in its name."""
    publish(start("secret"), "a message")
    left_behind = processes(instance)
    assert [is_alive(process) for process in left_behind] == [True, True]
    assert {address for process in left_behind for address in listens_on(process.pid)} <= LOOPBACK

    again = start("secret")

    assert not any(is_alive(process) for process in left_behind)
    with connect(again) as connection, connection.channel() as channel:
        message = channel.basic_get("kept", no_ack=True)
        assert message is not None
        assert message.body == "a message"
    again.add_virtual_hosts(["gw0", "gw1"])
    again.add_virtual_hosts(["gw0", "gw1"])  # as the next run does on the same data
    with connect(again, virtual_host="gw1") as connection, connection.channel() as channel:
        assert channel.queue_declare("kept").message_count == 0
    running = processes(instance)
    again.stop()
    assert not any(is_alive(process) for process in running)

    with pytest.raises(ServiceFailed, match="made with another password"):
        start("another")


def test_a_machine_without_rabbitmq_says_what_to_install(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(ProgramMissing, match="apt-get install rabbitmq-server"):
        RabbitMQ(instance=instance, password="secret", ports=Ports(file=instance.folder / "ports.json"))
