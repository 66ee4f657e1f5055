"""The ASGI application: one path for each code, and nothing in the way of a redirect.

The click is put into memory after the answer is on its way; a click that cannot be made never spoils the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from snip.redirect import metrics
from snip.redirect.answers import LANGUAGES, NOTHING, Answer, Answers, answers_in, plain, redirection, style
from snip.redirect.buffer import Buffer
from snip.redirect.cache import Cache
from snip.redirect.find_targets import Finder
from snip.redirect.flush import EVERY_SECONDS, Flusher, log_client
from snip.redirect.look_up import fresh_link, look_up
from snip.redirect.own_paths import CLICKS, HEALTH, METRICS
from snip.redirect.producers import CODE, Producers
from snip.redirect.scrape import metrics_page
from snip.redirect.setup import Setup
from snip.redirect.target import Leads, Target
from snip.redirect.visitor import Clicks

log = structlog.get_logger(__name__)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_HEALTHY = plain(200, "ok\n")
_ASKING = ("GET", "HEAD")
_ONLY_GET = plain(405, "Only GET and HEAD.\n", (b"allow", b"GET, HEAD"))


class Redirect:
    """The application, for one process."""

    def __init__(self, setup: Setup) -> None:
        self._base = setup.base_path
        self._cache = Cache(known=setup.known_codes, unknown=setup.unknown_codes)
        self._finder = Finder(database_url=setup.database_url, cache=self._cache, public_url=setup.public_url)
        self._buffer = Buffer(bound=setup.buffered_clicks)
        self._client = log_client(setup.redis_url)
        self._flusher = Flusher(client=self._client, buffer=self._buffer, bounds=setup.bounds)
        self._producers: Producers | None = None
        if setup.producer_token:
            self._producers = Producers(
                token=setup.producer_token, client=self._client, bounds=setup.bounds, find=self._find
            )
        self._clicks = Clicks(setup)
        css = f"{setup.base_path}page.css"
        home = Answer(redirection(f"{setup.public_url}/"), NOTHING)  # of whoever types the address without a code
        self._fixed = {HEALTH: _HEALTHY, css: style(), setup.base_path: home}
        self._pages = {
            language: answers_in(language, locale=setup.locale, home=setup.public_url, style=css)
            for language in LANGUAGES
        }
        self._outcomes = dict.fromkeys(metrics.OUTCOMES, 0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or live as long as the server.

        What a click costs here is what bounds the rate: a fresh link is answered without any further coroutine.
        """
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._live(receive, send)
            return
        method = scope["method"]
        code = scope["path"].removeprefix(self._base).removesuffix("/").lower()
        target = fresh_link(code, cache=self._cache)
        if target is None or method not in _ASKING:
            found = await self._look_further(code, scope, receive)
            if isinstance(found, Answer):
                return await _send(send, found, method)
            target = found
        self._outcomes["found"] += 1
        await send(target.answer)
        await send(NOTHING)
        if method == "GET":  # HEAD asks about a link and does not follow it
            self._note(code, scope)

    async def _look_further(self, code: str, scope: Scope, receive: Receive) -> Target | Answer:
        """Return the link that is asked for, or the answer where it is something else."""
        method, path = scope["method"], scope["path"]
        if method == "POST" and path == CLICKS and self._producers is not None:
            return await self._producers.take(headers=scope["headers"], receive=receive)
        if method not in _ASKING:
            return _ONLY_GET
        if path in self._fixed:
            return self._fixed[path]
        if path == METRICS:
            return await asyncio.to_thread(metrics_page, headers=scope["headers"])
        if not (path.startswith(self._base) and CODE.fullmatch(code)):
            return self._page("unknown", scope)
        target = await self._find(code)
        if target is None:
            return self._page("away", scope)
        if target.leads is Leads.UNKNOWN:
            return self._page("unknown", scope)
        if target.leads is Leads.GONE or time.monotonic() >= target.ends_at:
            return self._page("gone", scope)
        return target

    async def _find(self, code: str) -> Target | None:
        return await look_up(code, cache=self._cache, finder=self._finder)

    def _note(self, code: str, scope: Scope) -> None:
        try:
            self._buffer.put(self._clicks.pack(code, scope))
        except Exception:
            metrics.DROPPED.labels(reason="not_made").inc()
            log.exception("click_not_noted", code=code)

    def _page(self, name: str, scope: Scope) -> Answer:
        self._outcomes[name] += 1
        page: Answer = getattr(self._in_language_of(scope), name)
        return page

    def _in_language_of(self, scope: Scope) -> Answers:
        said = next((value for name, value in scope["headers"] if name == b"accept-language"), b"").lower()
        german, english = said.find(b"de"), said.find(b"en")
        return self._pages["de" if german >= 0 and (english < 0 or german < english) else "en"]

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        tasks = [asyncio.create_task(work) for work in (self._finder.run(), self._flusher.run(), self._count())]
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=1.0)
        await self._flusher.finish()
        self._count_outcomes()
        with contextlib.suppress(Exception):
            await self._finder.close()
            await self._client.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _count(self) -> None:
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            self._count_outcomes()

    def _count_outcomes(self) -> None:
        """Counters of Prometheus are slower than an answer, so they are told of many at once."""
        for outcome, number in self._outcomes.items():
            if number:
                metrics.ANSWERED.labels(outcome=outcome).inc(number)
                self._outcomes[outcome] = 0


async def _send(send: Send, answer: Answer, method: str) -> None:
    await send(answer.start)
    await send(NOTHING if method == "HEAD" else answer.body)
