"""What processes count, added up: living ones, those that are gone, and over a port of a relay's or a worker's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.test import Client
from prometheus_client.multiprocess import MultiProcessCollector

from jobs.scrape import processes
from jobs.scrape.processes import counted, fold_dead
from jobs.scrape.render import render
from jobs.scrape.server import serve_metrics
from tests.ledger import real_commits
from tests.ports import free_ports
from tests.processes import ROOT

COUNT_AND_FORK = """
import os, sys
from jobs import metrics
metrics.DONE.labels(task="a").inc()
metrics.RUN_SECONDS.labels(task="a").observe(0.2)
metrics.UNUSABLE.labels(queue="q").set(1)
if os.fork() == 0:
    metrics.DONE.labels(task="a").inc(10)
    os._exit(0)
os.wait()
print("counted", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def counting(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start a process that counts, and a child of it that counts and ends; it lives until its input is closed."""
    started: list[subprocess.Popen[str]] = []

    def _start() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", COUNT_AND_FORK],
            cwd=ROOT,
            env={"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "counted\n"
        return process

    yield _start
    for process in started:
        process.communicate(timeout=60)


def values(folder: Path) -> dict[str, float]:
    collected = MultiProcessCollector(None, path=str(folder)).collect()
    return {sample.name: sample.value for metric in collected for sample in metric.samples}


@pytest.mark.parametrize("content", [b"", b"\x10\0\0\0\0\0\0\0" + b"\xff" * 20], ids=["empty", "garbage"])
@pytest.mark.parametrize("owner", ["1", "999999999"], ids=["alive", "gone"])
def test_a_file_that_was_never_finished_spoils_no_scrape(
    content: bytes, owner: str, counting: Callable[[], subprocess.Popen[str]], tmp_path: Path, settings: Any
) -> None:
    settings.LEDGER_METRICS_FOLDER = str(tmp_path)
    counting()
    (tmp_path / f"counter_{owner}.db").write_bytes(content)
    for _ in range(2):
        assert b'jobs_done_total{task="a"} 11.0' in render(with_ledger=False)


def test_a_scrape_that_does_not_end_holds_up_no_other_for_ever(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEDGER_METRICS_FOLDER, settings.LEDGER_METRICS_TOKEN = str(tmp_path), "a-token-of-the-tests"
    monkeypatch.setattr(processes, "PATIENCE_SECONDS", 0.1)
    with counted():
        answer = Client().get("/metrics", headers={"Authorization": "Bearer a-token-of-the-tests"})
        assert (answer.status_code, "does not end" in answer.content.decode()) == (503, True)
    with counted():
        pass


def test_what_a_process_has_counted_stays_when_it_is_gone(
    counting: Callable[[], subprocess.Popen[str]], tmp_path: Path
) -> None:
    alive, gone = counting(), counting()
    gone.communicate(timeout=60)
    assert values(tmp_path)["jobs_done_total"] == 22
    assert fold_dead(tmp_path) > 0
    assert fold_dead(tmp_path) == 0
    seen = values(tmp_path)
    assert seen["jobs_done_total"] == 22
    assert seen["jobs_run_seconds_count"] == 2
    assert seen["jobs_run_seconds_sum"] == pytest.approx(0.4)
    owners = {file.stem.rpartition("_")[2] for file in tmp_path.glob("*.db")}
    assert owners == {str(alive.pid), "gone"}


def test_what_a_process_said_of_the_present_goes_with_it(
    counting: Callable[[], subprocess.Popen[str]], tmp_path: Path
) -> None:
    process = counting()
    fold_dead(tmp_path)
    assert values(tmp_path)["jobs_queue_unusable"] == 1
    process.communicate(timeout=60)
    fold_dead(tmp_path)
    assert "jobs_queue_unusable" not in values(tmp_path)


@pytest.fixture
def served(settings: Any) -> Iterator[str]:
    """The address at which this process serves its metrics, as a relay does."""
    settings.LEDGER_METRICS_PORT = free_ports(1)[0]
    settings.LEDGER_METRICS_TOKEN = "a-token-of-the-tests"
    server = serve_metrics(with_ledger=True)
    assert server is not None
    yield f"http://127.0.0.1:{settings.LEDGER_METRICS_PORT}"
    server.shutdown()
    server.server_close()


def status_of(url: str, *, token: str = "", method: str = "GET") -> int:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urlopen(Request(url, headers=headers, method=method), timeout=10) as response:
            return int(response.status)
    except HTTPError as error:
        return error.code


@real_commits
def test_a_relay_serves_its_metrics_to_whoever_has_the_token(served: str) -> None:
    assert status_of(f"{served}/metrics") == 401
    assert status_of(f"{served}/metrics", token="wrong") == 401
    assert status_of(f"{served}/metrics", token="a-token-of-the-tests", method="HEAD") == 200
    assert status_of(f"{served}/", token="a-token-of-the-tests") == 404
    with urlopen(
        Request(f"{served}/metrics", headers={"Authorization": "Bearer a-token-of-the-tests"}), timeout=10
    ) as response:
        text = response.read().decode()
    assert 'jobs_ledger_up{database="default"} 1.0' in text


@real_commits
def test_a_port_that_is_taken_keeps_nobody_from_working(served: str) -> None:
    assert serve_metrics(with_ledger=True) is None


def test_no_port_is_opened_unless_one_is_asked_for() -> None:
    assert serve_metrics(with_ledger=True) is None
