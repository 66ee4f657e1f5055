"""A private RabbitMQ node: its own in everything, closed to the outside, and gone when it is told to go."""

from __future__ import annotations

import os
from pathlib import Path

import amqp
import pytest

from deploy.local.checkout import Instance
from deploy.local.errors import ProgramMissing
from deploy.local.ports import HOST, Ports
from deploy.local.processes import is_alive, recorded
from deploy.local.rabbitmq import USER, RabbitMQ, is_installed

# As /proc/net writes 127.0.0.1 and ::1.
LOOPBACK = {"0100007F", "00000000000000000000000001000000"}


def listens_on(pid: int) -> set[str]:
    """The addresses on which the process accepts connections."""
    sockets = {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    addresses = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                addresses.add(fields[1].split(":")[0])
    assert addresses
    return addresses


def start(instance: Instance) -> RabbitMQ:
    ports = Ports(file=instance.folder / "ports.json")
    server = RabbitMQ(instance=instance, password="secret", ports=ports)
    server.end_leftover()
    server.start(port=ports.port_for("rabbitmq"))
    return server


def connect(server: RabbitMQ) -> amqp.Connection:
    port = int(server.url.rpartition(":")[2].rstrip("/"))
    return amqp.Connection(f"{HOST}:{port}", USER, "secret")


def publish(server: RabbitMQ, text: str) -> None:
    with connect(server) as connection, connection.channel() as channel:
        channel.queue_declare("kept", durable=True, auto_delete=False)
        channel.basic_publish_confirm(amqp.Message(text, delivery_mode=2), routing_key="kept")


@pytest.mark.rabbitmq
@pytest.mark.skipif(not is_installed(), reason="no RabbitMQ: sudo apt-get install rabbitmq-server")
def test_a_node_left_behind_by_a_killed_run_is_ended_and_its_messages_are_kept(instance: Instance) -> None:
    """One test, for a node takes seconds to start; in a folder with a space in its name."""
    first = start(instance)
    publish(first, "a message")
    left_behind = [recorded(instance.folder / name / "process.json") for name in ("rabbitmq", "epmd")]
    assert all(process is not None and is_alive(process) for process in left_behind)
    assert {address for process in left_behind if process for address in listens_on(process.pid)} <= LOOPBACK

    again = start(instance)

    try:
        assert not any(process is not None and is_alive(process) for process in left_behind)
        with connect(again) as connection, connection.channel() as channel:
            message = channel.basic_get("kept", no_ack=True)
            assert message is not None
            assert message.body == "a message"
    finally:
        processes = [recorded(instance.folder / name / "process.json") for name in ("rabbitmq", "epmd")]
        again.stop()
        first.stop()
    assert not any(process is not None and is_alive(process) for process in processes)


def test_a_machine_without_rabbitmq_says_what_to_install(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(ProgramMissing, match="apt-get install rabbitmq-server"):
        RabbitMQ(instance=instance, password="secret", ports=Ports(file=instance.folder / "ports.json"))
