"""One run at a time for each instance; a second one is told who has it, and may join."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from deploy.local.checkout import Instance
from deploy.local.errors import InstanceBusy
from deploy.local.instance_lock import announce, hold_instance, join, withdraw

HOLDER = """
import sys, time
from pathlib import Path
from deploy.local.checkout import Instance
from deploy.local.instance_lock import hold_instance
with hold_instance(Instance("demo", root=Path(sys.argv[1])), purpose="the other run"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def other_run(instance: Instance) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen([sys.executable, "-c", HOLDER, instance.root], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    yield child
    child.kill()
    child.wait(60)
    child.stdout.close()


def test_a_second_run_is_told_who_holds_the_instance(instance: Instance, other_run: subprocess.Popen[bytes]) -> None:
    with pytest.raises(InstanceBusy, match=f"the other run .process {other_run.pid}.*Ctrl-C"):
        with hold_instance(instance, purpose="ours"):
            pass


def test_the_lock_of_a_killed_run_is_free_at_once(instance: Instance, other_run: subprocess.Popen[bytes]) -> None:
    other_run.kill()
    other_run.wait(60)

    with hold_instance(instance, purpose="ours"):
        pass


def test_a_second_command_joins_the_services_that_run(instance: Instance, other_run: subprocess.Popen[bytes]) -> None:
    announce(instance, {"DATABASE_URL": "postgres://here", "PATH": "not for others"})

    assert join(instance) == {"DATABASE_URL": "postgres://here"}


def test_services_that_only_start_are_not_joined(instance: Instance, other_run: subprocess.Popen[bytes]) -> None:
    with pytest.raises(InstanceBusy, match="starting"):
        join(instance)


def test_what_a_killed_run_announced_is_not_joined(instance: Instance) -> None:
    announce(instance, {"DATABASE_URL": "postgres://gone"})

    assert join(instance) is None
    withdraw(instance)
