"""The databases that the environment names, and how each is set up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.shards import are_shards, shards

ROOT = Path(__file__).parents[3]
NORTH, SOUTH = "north=postgres://u:p%3D@host/north", "south=postgresql://host:5433/south?sslmode=require"
SHOW = "from config.settings import DATABASES as d; print({a: (d[a]['NAME'], d[a]['POOLER'], EXPRESSION) for a in d})"


def test_shards_are_aliases_and_addresses() -> None:
    assert are_shards(f"{NORTH}  {SOUTH}")
    assert shards(f"{NORTH}\n{SOUTH}") == {
        "north": "postgres://u:p%3D@host/north",
        "south": "postgresql://host:5433/south?sslmode=require",
    }


@pytest.mark.parametrize(
    "text",
    [
        "north",
        "north=",
        "=postgres://host/north",
        "default=postgres://host/north",
        f"{NORTH} {NORTH}",
        f"{NORTH},{SOUTH}",
        "north=mysql://host/north",
        "north=postgres://host",
        "The North=postgres://host/north",
        'no"rth=postgres://host/a',
    ],
)
def test_what_cannot_be_a_shard_is_refused(text: str) -> None:
    assert not are_shards(text)


def settings_say(expression: str, **environment: str) -> object:
    """What fresh settings make of the environment, for each database."""
    said = subprocess.run(
        [sys.executable, "-c", SHOW.replace("EXPRESSION", expression)],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": "postgres://host/main", "DATABASE_SHARDS": NORTH, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return eval(said.stdout)


def test_every_database_is_set_up_alike() -> None:
    asked = "d[a]['OPTIONS'].get('prepare_threshold'), d[a].get('CONN_MAX_AGE', 0)"
    assert settings_say(asked) == {"default": ("main", "none", 2, None), "north": ("north", "none", 2, None)}


def test_no_process_waits_for_a_network_that_is_lost_whether_it_asks_or_listens() -> None:
    names = ("connect_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout")
    asked = ", ".join(f"d[a]['OPTIONS']['{name}']" for name in names)
    expected = (5, 10, 5, 3, 25_000)  # it hears nothing for 10 s, asks three times; as long for what it has said
    assert settings_say(asked) == {"default": ("main", "none", *expected), "north": ("north", "none", *expected)}


def test_behind_a_pooler_nothing_is_asked_of_a_session_not_even_by_a_web_process() -> None:
    options = "d[a]['OPTIONS'].get('options'), d[a]['OPTIONS'].get('prepare_threshold')"
    asked = f"{options}, d[a]['DISABLE_SERVER_SIDE_CURSORS']"
    expected = {
        "default": ("main", "transaction", None, None, True),
        "north": ("north", "transaction", None, None, True),
    }
    assert settings_say(asked, DATABASE_POOLER="transaction", DATABASE_POOL_SIZE="4") == expected
    assert settings_say(asked, DATABASE_POOLER="transaction") == expected
