"""A real PgBouncer before the test database, in transaction mode, with few sessions that it lends in turn.

In turn, since a server that always gave back the same session would forgive whoever relies on one.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import psycopg

from deploy.local.ports import HOST, Ports
from tests.processes import Process

PROGRAM = shutil.which("pgbouncer", path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"]))
SESSIONS = 3

CONFIGURATION = """\
[databases]
* = {server}
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = any
admin_users = {user}
pool_mode = transaction
server_round_robin = 1
default_pool_size = {sessions}
min_pool_size = {sessions}
max_client_conn = 200
server_login_retry = 0.2
{account}
"""


class PgBouncer:
    """One pooler before the server that ``settings`` (of a Django connection) names."""

    def __init__(self, *, folder: Path, settings: dict[str, Any]) -> None:
        assert PROGRAM is not None
        self.port = Ports(file=folder / "ports.json").port_for("pgbouncer")
        self._settings = settings
        server = {"host": settings["HOST"] or HOST, "port": settings["PORT"] or 5432, "user": settings["USER"]}
        if settings["PASSWORD"]:
            server["password"] = "'" + settings["PASSWORD"].replace("'", "''") + "'"
        file = folder / "pgbouncer.ini"
        file.write_text(
            CONFIGURATION.format(
                server=" ".join(f"{name}={value}" for name, value in server.items()),
                host=HOST,
                port=self.port,
                user=settings["USER"],
                sessions=SESSIONS,
                account="user = nobody" if os.geteuid() == 0 else "",  # it refuses to run as root
            )
        )
        self.process = Process("pgbouncer", [PROGRAM, str(file)], dict(os.environ), ready="process up")

    def wait_until_ready(self) -> None:
        self.process.wait_until_ready()

    def command(self, words: str) -> list[tuple[Any, ...]]:
        """Give an order to the pooler itself, such as RECONNECT; return what it shows."""
        with psycopg.connect(
            host=HOST, port=self.port, user=self._settings["USER"], dbname="pgbouncer", autocommit=True,
            cursor_factory=psycopg.ClientCursor,
        ) as console:  # fmt: skip
            cursor = console.execute(words)
            return cursor.fetchall() if cursor.description else []

    def stop(self) -> None:
        self.process.kill()
