"""Counters of a spike: processes of their own, which run what ``manage.py count_clicks`` runs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any

READY = b"ready"
READY_SECONDS = 60.0
STOP_SECONDS = 20.0


class CounterNotReady(Exception):
    """A counter of the spike did not start. Its words stand above."""


@contextmanager
def counters_of_spike(number: int, *, redis_url: str, database: str) -> Iterator[None]:
    """So many of them count while the block runs. database: the name of it. Raises CounterNotReady."""
    context = multiprocessing.get_context("spawn")
    # Pipes, no events: whoever sets one waits for those who wait for it, for ever if Ctrl-C took them away.
    pipes = [context.Pipe(duplex=False) for _ in range(number)]
    processes = [context.Process(target=_count, args=(redis_url, database, says), daemon=True) for _, says in pipes]
    try:
        for process, (_, says) in zip(processes, pipes, strict=True):
            process.start()
            says.close()  # so that a counter that ends without a word is heard of at once
        if not all(is_ready(hears) for hears, _ in pipes):
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


def is_ready(hears: Connection) -> bool:
    """Wait for the word of a counter: False when it has ended without one, or after ``READY_SECONDS``."""
    try:
        return hears.poll(READY_SECONDS) and bool(hears.recv_bytes())
    except EOFError:
        return False


def _count(redis_url: str, database: str, ready: Connection) -> None:
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
        counter.run(on_ready=lambda: _say(ready))


def _say(ready: Connection) -> None:
    with suppress(OSError):  # who started it may have gone
        ready.send_bytes(READY)


def _end_with_parent(counter: Any) -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        counter.stop()
        time.sleep(STOP_SECONDS)
        os._exit(1)  # whatever holds it up, nobody waits for it any more
