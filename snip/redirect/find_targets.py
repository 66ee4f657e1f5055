"""Ask PostgreSQL where codes lead: everything that is wanted at one time in one statement, on one connection.

So a code that a thousand visitors want at once is asked for once, and a flood of guessed codes costs PostgreSQL one
statement at a time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from random import uniform
from typing import Any

import psycopg
import structlog

from snip.redirect.cache import Cache
from snip.redirect.target import Leads, Target, read_row

log = structlog.get_logger(__name__)

# Where codes lead, and for how many seconds yet by the database's clock. By the primary keys of both tables.
FIND_TARGETS = """
SELECT code.code, link.served_target, link.state, code.retired_at IS NOT NULL,
       extract(epoch FROM link.expires_at - jobs_now())::float8
FROM snip_linkcode AS code JOIN snip_link AS link ON link.id = code.link_id
WHERE code.code = ANY(%s)
"""

PATIENCE_SECONDS = 1.0
"""How long one question may take, with the connection that it may need, before PostgreSQL counts as away."""
LONGEST_WAIT_SECONDS = 2.0
"""Between two questions while it is away."""
BATCH = 500
MOST_WANTED = 10_000


EXPECTED = (psycopg.Error, OSError, TimeoutError)


class Away(Exception):
    """PostgreSQL cannot be asked at present. Use what is known, or ask the visitor to try again."""


class Finder:
    """Finds where codes lead, and puts it into ``cache``. ``away`` tells whether PostgreSQL failed to answer."""

    def __init__(self, *, database_url: str, cache: Cache, public_url: str) -> None:
        self.away = False
        self._url = "postgresql" + database_url[database_url.index(":") :]
        self._cache = cache
        self._public_url = public_url
        self._wanted: dict[str, asyncio.Future[Target] | None] = {}
        self._something = asyncio.Event()
        self._connection: psycopg.AsyncConnection[Any] | None = None

    def want(self, code: str) -> None:
        """Ask for ``code`` soon, and wait for nothing."""
        if code not in self._wanted and len(self._wanted) < MOST_WANTED:
            self._wanted[code] = None
            self._something.set()

    async def find(self, code: str) -> Target:
        """Wait for what PostgreSQL says of ``code``. Raises Away."""
        self.want(code)
        if self.away or code not in self._wanted:
            raise Away
        future = self._wanted[code]
        if future is None:
            future = self._wanted[code] = asyncio.get_running_loop().create_future()
        # A visitor who leaves must not take the answer from the others that wait for it.
        return await asyncio.shield(future)

    async def run(self) -> None:
        """Answer until cancelled."""
        failures = 0
        while True:
            await self._something.wait()
            try:
                await self._answer_some()
                failures, self.away = 0, False
            except Exception as error:  # whatever it is, visitors wait for this loop
                if not self.away:
                    log.warning("postgresql_away", exc_info=not isinstance(error, EXPECTED), error=repr(error)[:200])
                failures, self.away = failures + 1, True
                self._give_up()
                await asyncio.sleep(uniform(0.05, min(LONGEST_WAIT_SECONDS, 0.1 * 2 ** min(failures, 10))))  # noqa: S311

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()

    async def _answer_some(self) -> None:
        codes = list(self._wanted)[:BATCH]
        found = await self._within_patience(codes)
        for code in codes:
            self._cache.put(code, found[code])
            future = self._wanted.pop(code)
            if future is not None and not future.done():
                future.set_result(found[code])
        if not self._wanted:
            self._something.clear()

    async def _within_patience(self, codes: Sequence[str]) -> dict[str, Target]:
        # A cancelled question waits for PostgreSQL to hear of it, which is what cannot be waited for.
        question = asyncio.ensure_future(self._ask(codes))
        await asyncio.wait({question}, timeout=PATIENCE_SECONDS)
        if not question.done():
            self._connection = None
            question.cancel()
            question.add_done_callback(lambda task: task.cancelled() or task.exception())
            raise TimeoutError
        return question.result()

    async def _ask(self, codes: Sequence[str]) -> dict[str, Target]:
        asked_at = time.monotonic()
        try:
            rows = await self._rows(codes)
        except psycopg.OperationalError:
            # A connection that PostgreSQL or a network closed while nobody asked is noticed by the question alone.
            await self.close()
            rows = await self._rows(codes)
        found = dict.fromkeys(codes, Target(Leads.UNKNOWN, asked_at))
        found.update(read_row(row, public_url=self._public_url, asked_at=asked_at) for row in rows)
        return found

    async def _rows(self, codes: Sequence[str]) -> list[Any]:
        connection = self._connection
        if connection is None or connection.closed:
            connection = self._connection = await psycopg.AsyncConnection.connect(
                self._url,
                autocommit=True,
                prepare_threshold=None,  # a pooler may stand in between
                connect_timeout=2,
                application_name="boxoffice-redirect",
            )
        return await (await connection.execute(FIND_TARGETS, [list(codes)])).fetchall()

    def _give_up(self) -> None:
        """Tell all that wait; the codes stay wanted, so that PostgreSQL is asked again."""
        for code, future in self._wanted.items():
            if future is not None and not future.done():
                future.set_exception(Away())
                future.exception()  # looked at, though the visitor may have left
            self._wanted[code] = None
