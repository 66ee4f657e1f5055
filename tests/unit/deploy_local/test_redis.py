"""Redis keeps its data through a stop and a kill, and is closed to everybody without the password."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
import redis

from deploy.local.checkout import Instance
from deploy.local.ports import Ports
from deploy.local.processes import end, is_alive, recorded
from deploy.local.redis import Redis


@pytest.fixture
def server(instance: Instance) -> Iterator[Redis]:
    server = start(instance)
    yield server
    server.stop()


def start(instance: Instance) -> Redis:
    server = Redis(instance=instance, password="secret")
    server.end_leftover()
    server.start(port=Ports(file=instance.folder / "ports.json").port_for("redis"))
    return server


def client(server: Redis) -> redis.Redis:
    return redis.Redis.from_url(server.url(0), socket_timeout=20)


def test_data_outlives_a_stop(instance: Instance, server: Redis) -> None:
    with client(server) as connection:
        connection.set("kept", "7")
    server.stop()

    again = start(instance)

    with client(again) as connection:
        assert connection.get("kept") == b"7"
    again.stop()


def test_a_server_that_a_killed_run_left_behind_is_ended_and_keeps_its_data(instance: Instance, server: Redis) -> None:
    with client(server) as connection:
        connection.set("kept", "7")
    left_behind = recorded(instance.folder / "redis/process.json")
    assert left_behind is not None

    again = start(instance)

    assert not is_alive(left_behind)
    with client(again) as connection:
        assert connection.get("kept") == b"7"
    again.stop()


def test_a_server_that_was_killed_itself_starts_again(instance: Instance, server: Redis) -> None:
    process = recorded(instance.folder / "redis/process.json")
    assert process is not None
    end(process, signals=(signal.SIGKILL,))

    again = start(instance)

    with client(again) as connection:
        assert connection.ping()
    again.stop()


def test_nobody_gets_in_without_the_password(server: Redis) -> None:
    with redis.Redis.from_url(server.url(0).replace(":secret@", ""), socket_timeout=20) as connection:
        with pytest.raises(redis.exceptions.AuthenticationError):
            connection.ping()


def test_a_fresh_start_finds_nothing(instance: Instance, server: Redis) -> None:
    with client(server) as connection:
        connection.set("kept", "7")
    server.stop()
    server.wipe()

    again = start(instance)

    with client(again) as connection:
        assert connection.get("kept") is None
    again.stop()
