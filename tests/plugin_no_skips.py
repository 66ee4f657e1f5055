"""A skipped test is named at the end of the run, and with ``CI=true`` it is a failure.

A machine without RabbitMQ or Chromium may skip what needs them; the machine that decides what lands may not.
Where tests run in several processes, each tells its skips to the first one when it ends.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest

SKIPS_FAIL = os.environ.get("CI", "").lower() in {"1", "true"}
NOT_TESTED = pytest.StashKey[list[str]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # An expected failure is reported as skipped too, and is none.
    if report.skipped and not hasattr(report, "wasxfail"):
        _name(item.config, report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped:
        _name(collector.config, report)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["not_tested"] = session.config.stash.get(NOT_TESTED, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    # A process that broke down told nothing.
    told = getattr(node, "workeroutput", {}).get("not_tested", [])
    known = node.config.stash.setdefault(NOT_TESTED, [])
    known.extend(line for line in told if line not in known)  # a skipped file is met by all


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    skipped = config.stash.get(NOT_TESTED, [])
    if skipped:
        terminalreporter.section("NOT TESTED ON THIS MACHINE", sep="!", red=True)
        for line in skipped:
            terminalreporter.write_line(line)


def _name(config: pytest.Config, report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    config.stash.setdefault(NOT_TESTED, []).append(f"{report.nodeid}: {reason}")
    if SKIPS_FAIL:
        report.outcome = "failed"
        report.longrepr = f"With CI=true nothing may be skipped. {reason}"
