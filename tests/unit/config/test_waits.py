"""No wait without an end: who waits for a thread, a process or an answer says for how long."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CODE = ("tests", "bench", "deploy", "sandbox", "boxoffice", "tickets", "notifications", "snip", "inventory", "jobs")

RUNS = {"run", "call", "check_call", "check_output"}
WAITS = {"wait", "join", "result", "communicate"}
CONNECTS = {"urlopen", "create_connection", "from_url"}
"""To a server that may say nothing. (The broker of a test is asked by ``at_broker``.)"""

ENDS = {
    "tests/integration/jobs/schedules/test_live_beats.py": {"first.wait()", "second.wait()"},  # ours: 20 s
    "tests/integration/jobs/test_heartbeats.py": {"pulse.join()"},  # a second
    "tests/integration/notifications/test_limits.py": {"turn.wait()", "late.wait()"},  # until a moment that is known
    "deploy/local/demo.py": {"stack.wait()"},  # until Ctrl-C
    "deploy/local/stack.py": {"self.supervisor.wait()"},  # the same
    "deploy/local/run_command.py": {"child.wait()"},  # as long as whoever called us wishes
    "deploy/local/supervisor.py": {"child.wait()"},  # it runs until it is stopped, and its output has ended
    "sandbox/esp/deliver.py": {"self._thread.join()"},  # it looks every few tenths of a second
    "sandbox/stripe/deliver.py": {"self._thread.join()"},  # the same
    "jobs/worker/heartbeat.py": {"pulse.join()"},  # a second
    "jobs/worker/outside.py": {"thread.join()"},  # two visits, which have an end
    "notifications/channels/on_time.py": {"turn.wait()"},  # until a moment that is known
    "notifications/limits/take.py": {"turn.wait()"},  # the same
    "snip/redirect/find_targets.py": {"question.result()"},  # it is done
    "snip/spike/counters.py": {"parent.join()"},  # as long as the parent lives, and nobody waits for this thread
}
"""Waits that end though they do not say when."""
AT_THE_TERMINAL = {
    "deploy/local/compile_templates.py",
    "deploy/local/install.py",
    "deploy/local/packages.py",
    "deploy/local/pin_requirements.py",
}
"""They install and compile as long as the machine and its network take, under the eyes of whoever called them."""


def waits_without_an_end(source: str) -> Iterator[str]:
    """The calls that wait for somebody and do not say for how long."""
    tree = ast.parse(source)
    awaited = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Await)}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute | ast.Name) and id(call) not in awaited:
            owner, _, name = ast.unparse(call.func).rpartition(".")
            bounded = any(keyword.arg is None or "timeout" in keyword.arg for keyword in call.keywords)
            if (owner == "subprocess" and name in RUNS) or name in CONNECTS:
                waits = not bounded
            elif owner == "os" and name in ("wait", "waitpid"):
                waits = "WNOHANG" not in ast.unparse(call)
            else:
                waits = bool(owner) and name in WAITS and not call.args and not call.keywords
            if waits:
                yield ast.unparse(call)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("process.wait()", ["process.wait()"]),
        ("process.wait(5); process.wait(timeout=5)", []),
        ("thread.join(); ', '.join(words)", ["thread.join()"]),
        ("async def f():\n    await stopped.wait()", []),
        ("subprocess.run(['true'], check=True)", ["subprocess.run(['true'], check=True)"]),
        ("subprocess.run(['true'], timeout=5)", []),
        ("urlopen(url); urlopen(url, timeout=5)", ["urlopen(url)"]),
        ("redis.Redis.from_url(url, socket_timeout=5); redis.Redis.from_url(url, **timeouts)", []),
        ("os.waitpid(pid, 0); os.waitpid(pid, os.WNOHANG)", ["os.waitpid(pid, 0)"]),
    ],
)
def test_a_wait_without_an_end_is_found(code: str, found: list[str]) -> None:
    assert list(waits_without_an_end(code)) == found


@pytest.mark.parametrize("folder", CODE)
def test_every_wait_has_an_end(folder: str) -> None:
    for file in sorted((ROOT / folder).rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        if path not in AT_THE_TERMINAL:
            found = [wait for wait in waits_without_an_end(file.read_text()) if wait not in ENDS.get(path, ())]
            assert found == [], f"{path}: say for how long to wait, or in ENDS why it ends"
