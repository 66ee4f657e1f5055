"""The databases that hold ledgers, and what stands before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

from jobs.pooler import is_pooled, objection
from jobs.queues import MAX_LENGTH, all_queues
from jobs.session import longest_idle_seconds
from jobs.wakeup import plain_connection

POOLER = "See config/settings/database.py."


@register(Tags.compatibility)
def check_databases(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """What the settings of all databases say, without asking any."""
    return [*_window_problems(), *(problem for alias in connections for problem in _pooled_problems(alias))]


@register(Tags.database)
def check_sessions(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Ask each of ``databases`` whether its sessions are what the settings say. One that is away is not judged."""
    return [problem for alias in databases or () for problem in _session_problems(alias)]


def _window_problems() -> Iterator[CheckMessage]:
    """Each database has its own window, and all their messages share the broker's queue."""
    count = len(list(connections))
    for queue in all_queues():
        if count * queue.window > MAX_LENGTH // 4:
            yield Error(
                f"{count} databases could fill the broker's queue {queue.name}: their windows come to "
                f"{count * queue.window} messages.",
                hint=f"Give it a window of at most {MAX_LENGTH // 4 // count} in config/queues.py.",
                id="jobs.E060",
            )


def _pooled_problems(alias: str) -> Iterator[CheckMessage]:
    settings = connections[alias].settings_dict
    if not is_pooled(alias):
        return
    if settings["OPTIONS"].get("options"):
        yield Error(
            f"The pooler before the database {alias!r} refuses start-up options, or gives them to strangers.",
            hint=f"Take options out of its address, and give them to the role with ALTER ROLE. {POOLER}",
            id="jobs.E061",
        )
    if settings["OPTIONS"].get("prepare_threshold") is not None:
        yield Error(
            f"Statements would be prepared in one session of the database {alias!r} and asked for in another.",
            hint=f"Leave prepare_threshold out of its OPTIONS. {POOLER}",
            id="jobs.E062",
        )
    if not settings.get("DISABLE_SERVER_SIDE_CURSORS"):
        yield Error(
            f"A cursor opened in one session of the database {alias!r} would be read in another.",
            hint=f"Set its DISABLE_SERVER_SIDE_CURSORS to True. {POOLER}",
            id="jobs.E063",
        )


def _session_problems(alias: str) -> Iterator[CheckMessage]:
    try:
        with plain_connection(alias) as session:
            why = objection(session, using=alias, longest_idle=longest_idle_seconds())
    except psycopg.OperationalError:
        return  # it is away; each session of the engine asks again
    if why:
        yield Error(why, id="jobs.E064")
