"""A Redis server of a test's own, on which it may do what nobody may do to the shared one."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import redis

from deploy.local.redis import redis_server
from tests.ports import free_ports
from tests.processes import GONE_SECONDS, wait_for


class OwnRedis:
    """It keeps what is written into it, and after it was killed it comes back with that under the same address."""

    def __init__(self, folder: Path) -> None:
        (self.port,) = free_ports(1)
        self._folder = folder
        self.client = redis.Redis(port=self.port, socket_timeout=5)
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        settings = ["--port", str(self.port), "--bind", "127.0.0.1", "--appendonly", "yes", "--save", ""]
        # Every write is on the disk before it is answered: what a kill may lose of a second is not what is tested.
        settings += ["--appendfsync", "always"]
        self._server = subprocess.Popen([redis_server(), *settings], cwd=self._folder, stdout=subprocess.DEVNULL)
        wait_for(self._answers, what="the test's own Redis answers")

    def kill(self) -> None:
        self._server.kill()
        self._server.wait(GONE_SECONDS)

    def pause(self) -> None:
        """It keeps its connections, takes new ones, and says nothing."""
        os.kill(self._server.pid, signal.SIGSTOP)

    def resume(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._server.pid, signal.SIGCONT)

    def set(self, name: str, value: Any) -> None:
        """One line of its configuration."""
        self.client.config_set(name, value)

    def _answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except redis.RedisError:
            return False


@contextmanager
def running_redis(folder: Path) -> Iterator[OwnRedis]:
    """A server while the block runs."""
    server = OwnRedis(folder)
    try:
        yield server
    finally:
        server.client.close()
        server.kill()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    with running_redis(tmp_path) as server:
        yield server
