"""How long a web process may stand in the way of others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SHOW = """
import django
django.setup()
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')")
    print(*cursor.fetchone())
connection.close_pool()
"""


@pytest.mark.parametrize(("pool_size", "limits"), [("2", "5s 10s"), ("0", "0 0")])
def test_a_web_process_neither_waits_for_a_lock_nor_holds_one_for_long(pool_size: str, limits: str) -> None:
    """The engine's sessions, which are not pooled, set limits of their own."""
    shown = subprocess.run(
        [sys.executable, "-c", SHOW],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_POOL_SIZE": pool_size},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.strip() == limits
