"""The archiver's loop: it rolls up what has come and stores the hours that are over, at its own pace.

Guarantee: no fault ends it, and a storage that is away holds up no sums. Any number may run; each does a step only if
nobody else has done it.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence

import redis
import structlog
from django.db import DatabaseError, InterfaceError, connection
from redis.exceptions import ResponseError

from snip.archive.metrics import FAILED, GAPS
from snip.archive.read_log import START, Place, Reader, place_of
from snip.archive.roll_up import Overtaken, begin, place_in, roll_up
from snip.archive.store_hours import store_hours
from snip.log.age import trim_by_age
from snip.log.bounds import KEPT

log = structlog.get_logger(__name__)

GROUP = "archiver"
PASS_SECONDS = 5.0
"""Between two looks at the log. The page of clicks promises five minutes."""

LONGEST_BACKOFF_SECONDS = 60.0


class Archiver:
    """One process of the group. ``stop`` may be called from a signal.

    ``find_further`` is asked in each pass which streams to read beside ``streams``: those that nobody of this make
    appends to. So it is the archiver who lets go there of what is older than the log keeps.
    """

    def __init__(
        self,
        *,
        client: redis.Redis,
        streams: Sequence[str],
        pass_seconds: float = PASS_SECONDS,
        find_further: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._client = client
        self._find_further = find_further
        self._readers = {stream: Reader(client=client, stream=stream) for stream in streams}
        self._pass_seconds = pass_seconds
        self._stopped = threading.Event()

    def stop(self, *_: object) -> None:
        """Let the running step end, and no other begin."""
        self._stopped.set()

    def run(self, *, on_ready: Callable[[], object] = lambda: None) -> None:
        """Until ``stop``. A fault is logged and counted, and waited for with full jitter."""
        on_ready()
        failures = 0
        while not self._stopped.is_set():
            failures = 0 if self.run_once() else failures + 1
            self._stopped.wait(self._pause(failures))

    def run_once(self) -> bool:
        """One pass over all streams; whether all of it went well."""
        found = self._step("look for streams", self._look_for_streams, "")
        rolled = [self._step("roll up", self._roll_up, stream) for stream in self._readers]
        stored = [self._step("store", self._store, stream) for stream in self._readers]
        return found and all(rolled) and all(stored)

    def _look_for_streams(self, _: str) -> None:
        for stream in self._find_further():
            self._readers.setdefault(stream, Reader(client=self._client, stream=stream))
            trim_by_age(client=self._client, stream=stream, age=KEPT)

    def _roll_up(self, stream: str) -> None:
        try:
            progress = begin(stream=stream)
            self._note_what_was_shed(stream, place_in(progress))
            rolled = roll_up(reader=self._readers[stream], progress=progress)
        except Overtaken:
            return
        show_place(client=self._client, stream=stream, place=rolled.to)

    def _store(self, stream: str) -> None:
        store_hours(client=self._client, stream=stream)

    def _note_what_was_shed(self, stream: str, place: Place) -> None:
        """The bound by length has taken the entry that we stand at, and perhaps others behind it."""
        oldest = self._client.xrange(stream, "-", "+", count=1)
        if place == START or not oldest:
            return
        first = place_of(oldest[0][0])
        if place < first and first.milliseconds - place.milliseconds < KEPT.total_seconds() * 1000:
            GAPS.inc()
            log.warning("clicks_shed_unread", stream=stream, after=str(place), before=str(first))

    def _step(self, name: str, step: Callable[[str], None], stream: str) -> bool:
        if self._stopped.is_set():
            return True
        try:
            step(stream)
        except Exception as error:  # a storage has exceptions of its own; the next pass tries again
            FAILED.labels(step=name).inc()
            log.warning("archiver_failed", step=name, stream=stream, error=type(error).__name__, what=str(error)[:200])
            if isinstance(error, DatabaseError | InterfaceError):
                connection.close()
            return False
        return True

    def _pause(self, failures: int) -> float:
        if not failures:
            return self._pass_seconds
        most = min(self._pass_seconds * 2**failures, LONGEST_BACKOFF_SECONDS)
        return random.uniform(0, most)  # noqa: S311  (jitter, not a secret)


def show_place(*, client: redis.Redis, stream: str, place: Place) -> None:
    """Set the group in Redis to where PostgreSQL says that it stands: for its age, and for whoever looks there."""
    try:
        client.xgroup_create(stream, GROUP, id=str(place), mkstream=True)
    except ResponseError as error:
        if "BUSYGROUP" not in str(error):
            raise
        client.xgroup_setid(stream, GROUP, str(place))
