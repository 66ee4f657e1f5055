"""What a run starts, what it leaves to the person, and what the next run finds after it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from deploy.local.checkout import ROOT, Instance
from deploy.local.environment import local_services
from deploy.local.errors import InstanceBusy, LocalError
from deploy.local.postmaster import running_server
from deploy.local.processes import is_alive, recorded, wait_until

RUN = """
import sys
from pathlib import Path
from deploy.local.checkout import Instance
from deploy.local.environment import local_services
from deploy.local.run_command import run_command
from deploy.local.signals import end_in_good_order
end_in_good_order()
with local_services(instance=Instance("demo", root=Path(sys.argv[1])), given={}) as environment:
    sys.exit(run_command(sys.argv[2:], environment=environment))
"""


def run(instance: Instance, *command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, instance.root, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def wait_for_ready(run: subprocess.Popen[str]) -> None:
    assert run.stdout is not None
    assert run.stdout.readline() == "ready\n"


def test_the_environment_leads_to_servers_that_answer(instance: Instance) -> None:
    with local_services(instance=instance, given={}) as environment:
        with psycopg.connect(environment["DATABASE_URL"]) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert environment["BROKER_URL"] != environment["REDIS_URL"]
        data = instance.folder / "postgres/data"
        assert running_server(data) is not None
    assert running_server(data) is None


def test_a_service_that_the_person_gives_is_not_started(instance: Instance) -> None:
    given = {"DATABASE_URL": "postgres://theirs", "REDIS_URL": "redis://theirs", "BROKER_URL": "amqp://theirs"}

    with local_services(instance=instance, given=given) as environment:
        assert {name: environment[name] for name in given} == given
        assert not (instance.folder / "postgres").exists()
        assert not (instance.folder / "redis").exists()


def test_a_given_redis_is_kept_for_the_cache_while_ours_is_the_broker(instance: Instance) -> None:
    given = {"DATABASE_URL": "postgres://theirs", "REDIS_URL": "redis://theirs"}

    with local_services(instance=instance, given=given) as environment:
        assert environment["REDIS_URL"] == "redis://theirs"
        assert environment["BROKER_URL"].startswith("redis://:")


def test_an_empty_variable_counts_as_not_given(instance: Instance) -> None:
    given = {"DATABASE_URL": "", "REDIS_URL": "redis://theirs", "BROKER_URL": "amqp://theirs"}

    with local_services(instance=instance, given=given) as environment:
        assert environment["DATABASE_URL"].startswith("postgres://")


def test_an_unknown_broker_is_refused_with_the_choice(instance: Instance) -> None:
    with pytest.raises(LocalError, match="BROKER to one of: redis, rabbitmq"):
        with local_services(instance=instance, brokers=["kafka"], given={}):
            pass


def test_a_second_start_says_what_to_do_and_disturbs_nothing(instance: Instance) -> None:
    with local_services(instance=instance, given={}) as environment:
        with pytest.raises(InstanceBusy, match="Stop it with Ctrl-C"):
            with local_services(instance=instance, given={}):
                pass
        with psycopg.connect(environment["DATABASE_URL"]) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_the_status_of_the_command_is_the_status_of_the_run(instance: Instance) -> None:
    with run(instance, "sh", "-c", "exit 7") as process:
        assert process.wait(60) == 7


def test_a_run_that_is_told_to_stop_stops_its_command_and_its_servers(instance: Instance) -> None:
    with run(instance, "sh", "-c", "echo ready; exec sleep 60") as process:
        wait_for_ready(process)
        data = instance.folder / "postgres/data"
        assert running_server(data) is not None

        process.terminate()

        assert process.wait(60) == 128 + signal.SIGTERM
    assert running_server(data) is None
    assert not (instance.folder / "redis/process.json").exists()


def test_a_run_that_was_killed_leaves_nothing_to_the_one_after_it(instance: Instance) -> None:
    with run(instance, "sh", "-c", "echo ready; exec sleep 60") as process:
        wait_for_ready(process)
        child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[-1])
        process.kill()
    left_behind = [running_server(instance.folder / "postgres/data"), recorded(instance.folder / "redis/process.json")]
    assert all(server is not None and is_alive(server) for server in left_behind)

    with local_services(instance=instance, given={}) as environment:
        with psycopg.connect(environment["DATABASE_URL"]) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)

    assert not any(server is not None and is_alive(server) for server in left_behind)
    os.kill(child, signal.SIGKILL)  # the command itself is the person's own; it outlives the killed run


def test_servers_stop_though_ctrl_c_is_pressed_again_and_again(instance: Instance) -> None:
    with run(instance, "sh", "-c", "trap '' INT; echo ready; sleep 0.5") as process:
        wait_for_ready(process)
        stopped = wait_until(lambda: _press_ctrl_c(process), seconds=20)

    assert stopped
    assert running_server(instance.folder / "postgres/data") is None


def _press_ctrl_c(process: subprocess.Popen[str]) -> bool:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        return False
    return True
