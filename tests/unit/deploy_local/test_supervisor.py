"""The Procfile's processes: known to later runs, told to stop gently, and never without their launcher."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local.checkout import ROOT
from deploy.local.leftovers import end_recorded
from deploy.local.processes import ProcessId, is_alive, recorded, wait_until

LAUNCHER = """
import subprocess, sys
subprocess.Popen([sys.executable, "-m", "deploy.local.supervisor", *sys.argv[1:]]).wait()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder"
    folder.mkdir()
    return folder


def procfile(folder: Path, text: str) -> Path:
    (folder / "Procfile").write_text(text)
    return folder / "Procfile"


def wait_for_records(folder: Path, *names: str) -> list[ProcessId]:
    assert wait_until(lambda: all(recorded(folder / f"{name}.json") for name in names), seconds=20)
    found = [recorded(folder / f"{name}.json") for name in names]
    return [process for process in found if process is not None]


def test_processes_end_when_their_launcher_was_killed(folder: Path) -> None:
    file = procfile(folder, "one: exec sleep 60\ntwo: exec sleep 60\n")
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, folder, file], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    processes = wait_for_records(folder, "one", "two")

    launcher.kill()
    launcher.wait(60)

    assert wait_until(lambda: not any(is_alive(process) for process in processes), seconds=20)


def test_when_one_process_ends_the_others_are_stopped_and_its_status_is_told(folder: Path) -> None:
    file = procfile(folder, "one: exec sleep 60\ntwo: sleep 0.2; exit 3\n")

    done = subprocess.run(
        [sys.executable, "-m", "deploy.local.supervisor", folder, file],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 3
    assert "two stopped (rc=3)" in done.stdout
    assert not any(is_alive(process) for process in wait_for_records(folder, "one", "two"))


def test_a_process_that_was_killed_is_started_again_and_the_others_go_on(folder: Path) -> None:
    file = procfile(folder, "one: exec sleep 60\ntwo: exec sleep 60\n")
    supervisor = subprocess.Popen(
        [sys.executable, "-m", "deploy.local.supervisor", folder, file], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    one, two = wait_for_records(folder, "one", "two")

    os.kill(two.pid, signal.SIGKILL)

    assert wait_until(lambda: recorded(folder / "two.json") not in (None, two), seconds=20)
    (again,) = wait_for_records(folder, "two")
    assert is_alive(one)
    assert is_alive(again)
    supervisor.terminate()
    output, _ = supervisor.communicate(timeout=30)
    assert output.count("two started") == 2
    assert "SIGKILL" not in output  # what was started again hears of the stop like the others
    assert not is_alive(one)
    assert not is_alive(again)


def test_only_the_main_process_is_told_to_stop_so_that_its_children_end_their_work(folder: Path) -> None:
    child = "trap 'echo child-was-told; exit' TERM; sleep 1; echo work-is-done"
    main = f"sh -c \"{child}\" & trap 'wait; exit 0' TERM; touch '{folder}/ready'; wait"
    (folder / "main.sh").write_text(main)
    file = procfile(folder, f'main: exec sh "{folder}/main.sh"\n')
    supervisor = subprocess.Popen(
        [sys.executable, "-m", "deploy.local.supervisor", folder, file], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    wait_for_records(folder, "main")
    assert wait_until((folder / "ready").exists, seconds=20)

    supervisor.terminate()
    output, _ = supervisor.communicate(timeout=30)

    assert "work-is-done" in output
    assert "child-was-told" not in output


def test_a_stop_that_comes_while_the_processes_start_ends_them_all(folder: Path) -> None:
    file = procfile(folder, "".join(f"sleeper{nth}: exec sleep 60\n" for nth in range(8)))
    supervisor = subprocess.Popen(
        [sys.executable, "-m", "deploy.local.supervisor", folder, file], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    wait_for_records(folder, "sleeper0")

    supervisor.terminate()

    supervisor.wait(30)
    left = [recorded(record) for record in folder.glob("sleeper*.json")]
    assert not any(process and is_alive(process) for process in left)


def test_processes_end_in_order_though_the_terminal_is_gone(folder: Path) -> None:
    file = procfile(folder, "one: while sleep 0.05; do echo something; done\n")
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, folder, file], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    processes = wait_for_records(folder, "supervisor", "one")
    assert launcher.stdout is not None
    launcher.stdout.close()

    launcher.kill()
    launcher.wait(60)

    assert wait_until(lambda: not any(is_alive(process) for process in processes), seconds=20)


def test_what_a_killed_supervisor_left_behind_is_ended_by_the_next_run(folder: Path) -> None:
    file = procfile(folder, "one: exec sleep 60\n")
    supervisor = subprocess.Popen(
        [sys.executable, "-m", "deploy.local.supervisor", folder, file], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    processes = wait_for_records(folder, "supervisor", "one")
    supervisor.kill()
    supervisor.wait(60)

    end_recorded(folder)

    assert not any(is_alive(process) for process in processes)
    assert list(folder.glob("*.json")) == []
