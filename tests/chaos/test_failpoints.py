"""Failpoints count passes over all processes, fire as often as ordered, and fail loudly when their function is gone."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests import failpoints
from tests.failpoints import Failpoints, Point
from tests.processes import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def test_every_third_pass_of_any_process_fires_and_no_more_often_than_ordered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acted: list[str] = []
    monkeypatch.setattr(failpoints, "_act", acted.append)
    points = Failpoints(folder)
    points.arm("here", "kill", times=2, every=3)
    for _ in range(2):
        failpoints._pass(folder / "here")
    script = f"from pathlib import Path; from tests import failpoints; failpoints._pass(Path({str(folder)!r}) / 'here')"
    third = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    assert third.wait(timeout=30) == -signal.SIGKILL
    assert points.fired_by("here") == [third.pid]
    for _ in range(20):
        failpoints._pass(folder / "here")
    assert points.fired_by("here") == [third.pid, os.getpid()]
    assert acted == ["kill"]
    points.arm("here", "kill")
    assert points.fired("here") == 0


def test_a_point_that_is_not_armed_or_disarmed_lets_everybody_pass(folder: Path) -> None:
    failpoints._pass(folder / "here")
    points = Failpoints(folder)
    points.arm("here", "kill")
    points.disarm()
    failpoints._pass(folder / "here")
    assert points.fired("here") == 0


def test_a_point_at_a_function_that_is_gone_stops_the_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAILPOINTS", str(folder))
    for points in ("WEB", "RELAY", "CONSUMER", "BEAT", "COUNTER"):
        monkeypatch.setattr(failpoints, points, {})
    monkeypatch.setattr(failpoints, "WORKER", {"gone": [Point("before", "jobs.transitions.no_such_function")]})
    with pytest.raises(AttributeError, match="no_such_function"):
        failpoints.install()


def test_who_is_cut_off_from_one_server_keeps_its_other_connections(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as lost, socket.create_server(("127.0.0.1", 0)) as kept:
        monkeypatch.setenv("DATABASE_URL", f"postgres://127.0.0.1:{lost.getsockname()[1]}/x")
        lost.settimeout(10)
        kept.settimeout(10)
        with (
            socket.create_connection(lost.getsockname(), timeout=10) as cut,
            socket.create_connection(kept.getsockname(), timeout=10) as other,
        ):
            Failpoints(folder).arm("here", "cut the database")
            failpoints._pass(folder / "here")
            assert lost.accept()[0].recv(1) == b""
            with pytest.raises(BrokenPipeError):
                cut.send(b"x")
            other.send(b"y")
            assert kept.accept()[0].recv(1) == b"y"
