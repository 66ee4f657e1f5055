"""The redirect's bound of open files, in a process of its own: a hard limit that was lowered never rises again."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from snip.redirect.open_files import allow_connections
print(allow_connections(enough=900), resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "bound"),
    [
        pytest.param(256, 1000, 900, id="it is raised as far as is needed"),
        pytest.param(950, 1000, 950, id="a larger one stays"),
        pytest.param(256, 512, 512, id="no further than the system lets it"),
    ],
)
def test_the_bound_of_open_files_rises_to_what_the_connections_need(soft: int, hard: int, bound: int) -> None:
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(soft=soft, hard=hard)],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    assert said.splitlines()[-1] == f"{bound} ({bound}, {hard})"
    assert ("few_open_files" in said) == (bound < 900)
