"""PostgreSQL starts from every state in which a run may have left it, and keeps what was committed."""

from __future__ import annotations

import os
import shutil
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from deploy.local.checkout import Instance
from deploy.local.errors import LocalError, ServiceFailed
from deploy.local.ports import Ports
from deploy.local.postgres import Postgres
from deploy.local.postgres_account import outside
from deploy.local.postmaster import end_server, running_server
from deploy.local.processes import end, is_alive

IS_ROOT = os.geteuid() == 0


@pytest.fixture
def postgres(instance: Instance) -> Iterator[Postgres]:
    """A server that runs, in a folder with a space in its name."""
    server = start(instance)
    yield server
    server.stop()


def start(instance: Instance) -> Postgres:
    server = Postgres(instance=instance, password="secret")
    server.end_leftover()
    server.start(port=Ports(file=instance.folder / "ports.json").port_for("postgres"))
    return server


def execute(server: Postgres, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(server.url) as connection:
        cursor = connection.execute(statement)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def test_data_is_kept_from_run_to_run(instance: Instance, postgres: Postgres) -> None:
    execute(postgres, "CREATE TABLE kept AS SELECT 7 AS number")
    postgres.stop()

    again = start(instance)

    assert execute(again, "SELECT number FROM kept") == [(7,)]
    again.stop()


def test_a_server_that_a_killed_run_left_behind_is_ended_and_started_anew(
    instance: Instance, postgres: Postgres
) -> None:
    execute(postgres, "CREATE TABLE kept AS SELECT 7 AS number")
    left_behind = running_server(postgres.data)
    assert left_behind is not None

    again = start(instance)

    assert not is_alive(left_behind)
    assert execute(again, "SELECT number FROM kept") == [(7,)]
    again.stop()


def test_a_server_that_was_killed_itself_recovers_what_was_committed(instance: Instance, postgres: Postgres) -> None:
    execute(postgres, "CREATE TABLE kept AS SELECT 7 AS number")
    server = running_server(postgres.data)
    assert server is not None
    end(server, signals=(signal.SIGKILL,))

    again = start(instance)

    assert execute(again, "SELECT number FROM kept") == [(7,)]
    again.stop()


def test_a_lock_file_whose_id_now_belongs_to_another_program_is_stale(instance: Instance, postgres: Postgres) -> None:
    lock_file = postgres.data / "postmaster.pid"
    lines = lock_file.read_text().splitlines()
    postgres.stop()
    lock_file.write_text("\n".join([str(os.getpid()), *lines[1:]]))

    again = start(instance)

    assert execute(again, "SELECT 1") == [(1,)]
    again.stop()


def test_a_copy_of_a_checkout_does_not_end_the_original_s_server(
    instance: Instance, postgres: Postgres, reachable_folder: Path
) -> None:
    copy = reachable_folder / "copied data"
    shutil.copytree(postgres.data, copy)

    end_server(copy)

    assert running_server(postgres.data) is not None


def test_nobody_gets_in_without_the_password_and_nobody_from_outside(postgres: Postgres) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(postgres.url.replace("secret", "guessed"))
    assert execute(postgres, "SHOW listen_addresses") == [("127.0.0.1",)]
    assert execute(postgres, "SHOW unix_socket_directories") == [("",)]


def test_data_of_another_major_version_is_refused_with_a_sentence_and_left_alone(
    instance: Instance, postgres: Postgres
) -> None:
    postgres.stop()
    (postgres.data / "PG_VERSION").write_text("12\n")

    with pytest.raises(LocalError, match=r"is PostgreSQL 12's.*Move that folder away"):
        start(instance)

    assert (postgres.data / "PG_VERSION").read_text() == "12\n"


def test_a_cluster_whose_making_was_broken_off_is_made_anew(instance: Instance) -> None:
    server = Postgres(instance=instance, password="secret")
    unfinished = server.data.parent / "data.new"
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("half")

    again = start(instance)

    assert execute(again, "SELECT 1") == [(1,)]
    again.stop()


def test_a_server_that_cannot_start_says_why(instance: Instance, postgres: Postgres) -> None:
    postgres.stop()
    (postgres.data / "postgresql.conf").write_text("nonsense = 1\n")

    with pytest.raises(ServiceFailed, match="unrecognized configuration parameter"):
        start(instance)


def test_data_made_with_another_password_is_refused_with_a_sentence(instance: Instance, postgres: Postgres) -> None:
    postgres.stop()
    other = Postgres(instance=instance, password="another")

    with pytest.raises(ServiceFailed, match="made with another password"):
        other.start(port=Ports(file=instance.folder / "ports.json").port_for("postgres"))


@pytest.fixture
def hidden_checkout(reachable_folder: Path, folder_for_all: Path) -> Instance:
    """A checkout below a folder of mode 700, as in /root."""
    hidden = reachable_folder / "hidden"
    hidden.mkdir(mode=0o700)
    instance = Instance("demo", root=hidden / "checkout")
    instance.create()
    return instance


def test_a_checkout_that_the_account_cannot_reach_works_and_its_parents_keep_their_modes(
    hidden_checkout: Instance, folder_for_all: Path
) -> None:
    server = start(hidden_checkout)
    execute(server, "CREATE TABLE kept AS SELECT 7 AS number")
    server.stop()

    again = start(hidden_checkout)

    assert execute(again, "SELECT number FROM kept") == [(7,)]
    again.stop()
    assert stat.S_IMODE(hidden_checkout.root.parent.stat().st_mode) == 0o700
    assert (hidden_checkout.folder / "postgres/data/PG_VERSION").exists()
    assert again.data.is_relative_to(folder_for_all) == IS_ROOT


def test_removing_the_local_folder_removes_the_data_wherever_it_lies(hidden_checkout: Instance) -> None:
    server = start(hidden_checkout)
    execute(server, "CREATE TABLE kept AS SELECT 7 AS number")
    server.stop()
    shutil.rmtree(hidden_checkout.local)
    hidden_checkout.create()

    again = start(hidden_checkout)

    assert execute(again, "SELECT to_regclass('kept')") == [(None,)]
    again.stop()


def test_a_checkout_that_was_moved_finds_its_data(hidden_checkout: Instance) -> None:
    server = start(hidden_checkout)
    execute(server, "CREATE TABLE kept AS SELECT 7 AS number")
    server.stop()
    moved = Instance("demo", root=hidden_checkout.root.parent / "moved")
    hidden_checkout.root.rename(moved.root)

    again = start(moved)

    assert execute(again, "SELECT number FROM kept") == [(7,)]
    again.stop()


def test_a_copied_checkout_gets_data_of_its_own_outside(hidden_checkout: Instance) -> None:
    if not IS_ROOT:
        return  # the data lies inside, and was copied along
    original = start(hidden_checkout)
    copy = Instance("demo", root=hidden_checkout.root.parent / "copy")
    shutil.copytree(hidden_checkout.root, copy.root, symlinks=True)

    second = start(copy)

    assert running_server(original.data) is not None
    assert second.data != original.data
    assert second.data.is_relative_to(outside(copy))
    second.stop()
    original.stop()
