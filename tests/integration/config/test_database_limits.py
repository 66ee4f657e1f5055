"""How long a web process may stand in the way of others."""

from __future__ import annotations

import os

import pytest

from tests.processes import Ended, run_to_end

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
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_POOL_SIZE": pool_size}
    assert run_to_end(["-c", SHOW], environment) == Ended(0, f"{limits}\n")
