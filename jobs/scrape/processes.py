"""The counters of this host's processes: web, relay, beat, workers and their children.

They write into files in one folder (``PROMETHEUS_MULTIPROC_DIR``), a file for each process and kind of metric, and a
scrape adds them up. What a process has counted stays when it is gone: its files are folded into one, so that a worker
whose children die again and again does not leave thousands. The processes that share a folder must see each other's
ids: it belongs to one host or one container.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import structlog
from django.conf import settings
from prometheus_client import REGISTRY
from prometheus_client.metrics_core import Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from jobs.errors import JobsError

log = structlog.get_logger(__name__)

GONE = "gone"

NOT_WHOLE = (struct.error, ValueError, RuntimeError)
"""What prometheus_client raises over a file that is empty, cut off, or full of something else."""

PATIENCE_SECONDS = 5.0
"""How long a scrape waits for another one. Scrapes take tenths of a second, and Prometheus gives up after ten."""


class AnotherScrape(JobsError):
    """Another scrape of this host does not end, and this one gave up waiting for it. Is a process paused?"""


@contextmanager
def counted() -> Iterator[Collector]:
    """What the processes have counted so far; this process alone where no folder is set. Read it within the block.

    Raises AnotherScrape.
    """
    folder = settings.LEDGER_METRICS_FOLDER
    if not folder:
        yield REGISTRY
        return
    with _alone_in(Path(folder)):
        fold_dead(Path(folder))
        yield _Readable(None, path=folder)


def fold_dead(folder: Path) -> int:
    """Fold the files of processes that are gone into one of each kind; return how many were folded.

    A gauge says how things are, which a process that is gone does not know. The caller is alone in the folder.
    """
    folded = 0
    for file in sorted(folder.glob("*.db")):
        kind, _, owner = file.stem.rpartition("_")
        if not owner.isdecimal() or _runs(int(owner)):
            continue
        if not kind.startswith("gauge") and _is_whole(file):
            _add(file, to=folder / f"{kind}_{GONE}.db")
        file.unlink()
        folded += 1
    return folded


class _Readable(MultiProcessCollector):
    """All files but those that are not whole: a process was killed while it made one, or the disk was full."""

    def collect(self) -> Iterable[Metric]:
        try:
            return super().collect()
        except NOT_WHOLE:
            files = [str(file) for file in sorted(Path(self._path).glob("*.db")) if _is_whole(file)]
            return self.merge(files, accumulate=True)


def _is_whole(file: Path) -> bool:
    try:
        for _ in MmapedDict.read_all_values_from_file(str(file)):
            pass
    except NOT_WHOLE:
        log.warning("counts_not_readable", file=file.name)
        return False
    return True


def _add(file: Path, *, to: Path) -> None:
    total = MmapedDict(str(to))
    try:
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(file)):
            total.write_value(key, total.read_value(key)[0] + value, 0.0)
    finally:
        total.close()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _taken(lock: TextIO) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        else:
            return True


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """One scrape at a time: files are read while none is being folded. Raises AnotherScrape."""
    with (folder / "scrape.lock").open("w") as lock:
        if not _taken(lock):
            raise AnotherScrape
        try:
            yield
        finally:
            # In so many words: a child that was forked meanwhile has the file open as well, and would keep the lock.
            fcntl.flock(lock, fcntl.LOCK_UN)
