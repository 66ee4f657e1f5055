"""docs/settings.md is the table of variables, and nothing reads the environment past it."""

import re
from pathlib import Path

from config.environment import VARIABLES
from config.environment_page import render

ROOT = Path(__file__).parents[3]


def test_the_settings_page_lists_every_variable_as_it_is() -> None:
    assert (ROOT / "docs/settings.md").read_text() == render(), "run python -m config.environment_page"


def test_every_variable_is_read_by_a_settings_module() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "config").rglob("*.py"))
    unread = [variable.name for variable in VARIABLES if f'read("{variable.name}")' not in sources]
    assert unread == []


def test_no_app_reads_the_environment() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for app in ("boxoffice", "tickets", "notifications", "inventory", "jobs")
        for path in (ROOT / app).rglob("*.py")
        if re.search(r"os\.(environ|getenv)", path.read_text())
    ]
    assert readers == []
