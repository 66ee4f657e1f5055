"""A process of the tests that starts warm is what Python itself would have started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.processes import ROOT
from tests.warm_starts import WarmProcess, starts_prepared, starts_warm

OURS = {"boxoffice", "config", "inventory", "jobs", "notifications", "snip", "tests", "tickets"}
TELL = """
import gc, json, os, sys, threading
print(json.dumps({
    "roots": sorted({name.partition(".")[0] for name in sys.modules}), "arguments": sys.argv, "main": __name__,
    "environment": dict(os.environ), "folder": os.getcwd(), "session": os.getsid(0), "pid": os.getpid(),
    "files": sorted(os.listdir("/proc/self/fd"), key=int)[:-1], "threads": threading.active_count(),
    "collects": gc.isenabled()}))
sys.exit(3)
"""


SET_UP_AND_TELL = f"import sys; print('boxoffice.models' in sys.modules)\nimport django; django.setup()\n{TELL}"


def started(code: str, **environment: str) -> WarmProcess:
    return WarmProcess([sys.executable, "-c", code, "more"], folder=str(ROOT), environment=environment)


def test_it_begins_with_nothing_of_ours_and_nothing_of_the_tests_and_its_exit_status_is_known() -> None:
    process = started(TELL, HOME="/nowhere", BROKER_URL="redis://its-own")

    told = json.loads(process.stdout.read())

    assert process.wait(10) == process.poll() == 3
    assert "django" in told["roots"]
    assert not OURS & set(told["roots"])
    assert not {"pytest", "playwright", "hypothesis", "prometheus_client"} & set(told["roots"])
    assert told["environment"] == {"HOME": "/nowhere", "BROKER_URL": "redis://its-own"}
    assert (told["arguments"], told["main"], told["folder"]) == (["-c", "more"], "__main__", str(ROOT))
    assert told["session"] == told["pid"] == process.pid
    assert told["files"] == ["0", "1", "2"]
    assert (told["threads"], told["collects"]) == (1, True)


def test_its_group_is_there_as_soon_as_its_id_is_known() -> None:
    for _ in range(50):
        process = started(TELL)
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        assert process.wait(10) == -signal.SIGKILL


def test_one_that_sets_up_django_begins_where_that_is_done_and_with_nothing_open() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    processes = [started(SET_UP_AND_TELL, **environment) for _ in range(2)]

    said = [process.stdout.read().split("\n", 1) for process in processes]

    assert [process.wait(10) for process in processes] == [3, 3]
    assert [was_set_up for was_set_up, _ in said] == ["True", "True"]
    for process, (_, text) in zip(processes, said, strict=True):
        told = json.loads(text)
        # The second one is Celery's, which config/celery.py sets for whoever imports it.
        assert told["environment"] == {**environment, "REMAP_SIGTERM": "SIGQUIT"}
        assert (told["arguments"], told["main"], told["folder"]) == (["-c", "more"], "__main__", str(ROOT))
        assert told["session"] == told["pid"] == process.pid
        assert told["files"] == ["0", "1", "2"]
        assert (told["threads"], told["collects"]) == (1, True)


def test_a_setting_that_is_refused_is_told_by_the_process_itself() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "changeme"}

    process = started(SET_UP_AND_TELL, **environment)

    assert "SECRET_KEY is a default or too weak" in process.stdout.read()
    assert process.wait(10) == 1


def test_an_error_ends_it_as_it_ends_python() -> None:
    process = started("import atexit; atexit.register(print, 'at its end'); raise ValueError('for a reason')")

    output = process.stdout.read()

    assert process.wait(10) == 1
    assert "ValueError: for a reason" in output
    assert "at its end" in output


def test_it_is_waited_for_and_killed_like_any_other() -> None:
    process = started("import time; print('here', flush=True); time.sleep(60)")
    assert process.stdout.readline() == "here\n"
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)

    os.killpg(process.pid, signal.SIGKILL)

    assert process.wait(10) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("command", "own", "warm"),
    [
        ([sys.executable, "-m", "celery", "worker"], {}, True),
        ([sys.executable, "manage.py", "relay"], {"PYTHONUNBUFFERED": "1"}, True),
        ([sys.executable, "-m", "granian", "config.wsgi:application"], {}, True),
        ([sys.executable, "-m", "sandbox", "smtp"], {}, False),
        ([sys.executable, "manage.py", "relay"], {"PYTHONWARNINGS": "error::Warning"}, False),
        (["sh", "-c", "celery"], {}, False),
    ],
)
def test_what_python_must_be_told_when_it_starts_is_started_cold(
    command: list[str], own: dict[str, str], warm: bool
) -> None:
    assert starts_warm(command, environment={**os.environ, **own}) is warm


@pytest.mark.parametrize(
    ("command", "own", "prepared"),
    [
        (["-m", "celery", "-A", "config", "worker"], {}, True),
        (["manage.py", "relay"], {}, True),
        (["-m", "granian", "config.wsgi:application"], {}, False),
        (["-c", "print()"], {}, False),
        (["manage.py", "relay"], {"PROMETHEUS_MULTIPROC_DIR": "/tmp"}, False),
    ],
)
def test_what_sets_up_django_at_once_and_counts_nothing_is_prepared(
    command: list[str], own: dict[str, str], prepared: bool
) -> None:
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings", **own}
    assert starts_prepared([sys.executable, *command], environment=environment) is prepared
