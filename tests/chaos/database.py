"""PostgreSQL stops, crashes and drops sessions while fans buy and workers work (I2, I3, rule 17 of the engine).

What a web process committed survives a crash; what relay and workers committed with less care either survives or
happens again as a whole.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from django.db import connection

from tests.chaos.faults import fault
from tests.chaos.scene import Scene

END_ALL_OTHER_SESSIONS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
A_SESSION = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
    ORDER BY random() LIMIT 1
"""


@fault("PostgreSQL stopped and started again", web=1)
def restarted(scene: Scene) -> None:
    def harm() -> None:
        scene.servers.stop_postgres(signal.SIGINT)
        scene.servers.start_postgres()

    _buy_and_work_while_struck(scene, harm, times=2)


@fault("PostgreSQL crashed and started again", web=1, short=True)
def crashed(scene: Scene) -> None:
    def harm() -> None:
        scene.servers.stop_postgres(signal.SIGQUIT)
        scene.servers.start_postgres()

    _buy_and_work_while_struck(scene, harm, times=2)


@fault("a session's process killed, as by OOM", web=1)
def session_killed(scene: Scene) -> None:
    """PostgreSQL then ends all sessions, throws its memory away and replays its log."""

    def harm() -> None:
        scene.until(lambda: os.kill(_one(A_SESSION), signal.SIGKILL) is None, "a session is killed")

    _buy_and_work_while_struck(scene, harm, times=2)


@fault("all sessions ended", web=1)
def sessions_ended(scene: Scene) -> None:
    def harm() -> None:
        with connection.cursor() as cursor:
            cursor.execute(END_ALL_OTHER_SESSIONS)

    _buy_and_work_while_struck(scene, harm, times=5)


def _buy_and_work_while_struck(scene: Scene, harm: Callable[[], object], *, times: int) -> None:
    with scene.buyers() as buyers:
        for strike in range(times):
            wanted = scene.jobs * (strike + 1) / (times + 1)
            scene.until(lambda wanted=wanted: len(buyers.answered) >= wanted, "the fans buy")  # type: ignore[misc]
            scene.strike(harm)
    scene.until_all_ended()
    scene.until_all_workers_work()


def _one(query: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query)
        (value,) = cursor.fetchone()
    return int(value)
