"""A process is known by its id and its start; what was recorded yesterday ends nobody else's program today."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.local.processes import ProcessId, end, identify, is_alive, record, recorded, wait_until, works_in

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
)


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(["sleep", "60"], cwd=tmp_path, start_new_session=True)
    yield child
    child.kill()
    child.wait(60)


def known(pid: int) -> ProcessId:
    process = identify(pid)
    assert process is not None
    return process


def test_a_process_with_another_start_is_somebody_else(sleeper: subprocess.Popen[bytes]) -> None:
    process = known(sleeper.pid)

    assert is_alive(process)
    assert not is_alive(replace(process, start=process.start - 1))
    assert not is_alive(replace(process, boot="the one before"))


def test_ending_somebody_else_s_process_does_nothing(sleeper: subprocess.Popen[bytes]) -> None:
    end(replace(known(sleeper.pid), start=1))

    assert sleeper.poll() is None


def test_a_process_that_ended_but_was_not_collected_counts_as_gone(sleeper: subprocess.Popen[bytes]) -> None:
    process = known(sleeper.pid)

    end(process)

    assert not is_alive(process)
    assert sleeper.wait(60) == -signal.SIGTERM


def test_a_process_that_ignores_the_polite_signal_is_killed(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    child.stdout.readline()

    end(known(child.pid), seconds=0.2)

    assert child.wait(60) == -signal.SIGKILL
    child.stdout.close()


def test_killing_the_whole_group_takes_the_children_along() -> None:
    command = f"trap '' TERM; {shlex.quote(sys.executable)} -c \"{STUBBORN}\" & wait"
    shell = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, start_new_session=True)
    assert shell.stdout is not None
    shell.stdout.readline()

    end(known(shell.pid), seconds=0.2, whole_group=True)

    shell.wait(60)
    # The pipe closes when the last process that could write to it is gone.
    assert shell.stdout.read() == b""
    shell.stdout.close()


def test_a_record_survives_the_program_that_wrote_it(tmp_path: Path) -> None:
    record(known(os.getpid()), file=tmp_path / "process.json")

    assert recorded(tmp_path / "process.json") == identify(os.getpid())


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}'])
def test_a_broken_record_is_no_record(tmp_path: Path, content: str) -> None:
    (tmp_path / "process.json").write_text(content)

    assert recorded(tmp_path / "process.json") is None


def test_a_server_is_still_known_after_its_folder_was_moved(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    child = subprocess.Popen(["sleep", "60"], cwd=tmp_path / "old")
    try:
        (tmp_path / "old").rename(tmp_path / "new")
        (tmp_path / "old").mkdir()

        assert works_in(pid=child.pid, folder=tmp_path / "new")
        assert not works_in(pid=child.pid, folder=tmp_path / "old")
    finally:
        child.kill()
        child.wait(60)


def test_waiting_for_what_never_comes_ends_at_the_deadline() -> None:
    assert not wait_until(lambda: False, seconds=0.05)
