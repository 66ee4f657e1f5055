"""Counters of a spike: processes of their own, which run what ``manage.py count_clicks`` runs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

READY_SECONDS = 60.0
STOP_SECONDS = 20.0


class CounterNotReady(Exception):
    """A counter of the spike did not start. Its words stand above."""


@contextmanager
def counters_of_spike(number: int, *, redis_url: str, database: str) -> Iterator[None]:
    """So many of them count while the block runs. database: the name of it. Raises CounterNotReady."""
    context = multiprocessing.get_context("spawn")
    ready = [context.Event() for _ in range(number)]
    processes = [context.Process(target=_count, args=(redis_url, database, each), daemon=True) for each in ready]
    try:
        for process in processes:
            process.start()
        if not all(each.wait(READY_SECONDS) for each in ready):
            raise CounterNotReady
        yield
    finally:
        for process in processes:
            if process.pid is not None:
                process.terminate()
        for process in processes:
            if process.pid is not None:
                process.join(STOP_SECONDS)
                process.kill()


def _count(redis_url: str, database: str, ready: Any) -> None:
    # In a process that has only begun, and knows no settings before this.
    import django

    django.setup()
    import redis
    from django.db import connection

    from snip.counter.count_clicks import ClickCounter
    from snip.spike.ground import STREAMS, use_own_tables

    connection.settings_dict["NAME"] = database
    use_own_tables(using="default")
    with redis.Redis.from_url(redis_url, socket_timeout=10.0, socket_connect_timeout=10.0) as client:
        counter = ClickCounter(client=client, streams=STREAMS)
        signal.signal(signal.SIGTERM, counter.stop)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; who started it ends it
        threading.Thread(target=_end_with_parent, args=(counter,), daemon=True).start()
        counter.run(on_ready=ready.set)


def _end_with_parent(counter: Any) -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        counter.stop()
        time.sleep(STOP_SECONDS)
        os._exit(1)  # it tells that it is ready to a parent that was killed, and would for ever
