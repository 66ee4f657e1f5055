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
from snip.redirect.look_up import look_up
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
        """Answer one request, or live as long as the server."""
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope["method"]
        if method == "POST" and scope["path"] == CLICKS and self._producers is not None:
            answer = await self._producers.take(headers=scope["headers"], receive=receive)
            return await _send(send, answer, method)
        if method not in ("GET", "HEAD"):
            return await _send(send, _ONLY_GET, method)
        path = scope["path"]
        if path in self._fixed:
            return await _send(send, self._fixed[path], method)
        if path == METRICS:
            return await _send(send, await asyncio.to_thread(metrics_page, headers=scope["headers"]), method)
        code = path.removeprefix(self._base).removesuffix("/").lower()
        if not (path.startswith(self._base) and CODE.fullmatch(code)):
            return await self._send_page("unknown", scope, send)
        target = await self._find(code)
        if target is None:
            return await self._send_page("away", scope, send)
        if target.leads is Leads.UNKNOWN:
            return await self._send_page("unknown", scope, send)
        if target.leads is Leads.GONE or time.monotonic() >= target.ends_at:
            return await self._send_page("gone", scope, send)
        self._outcomes["found"] += 1
        await send(target.answer)
        await send(NOTHING)
        if method == "GET":  # HEAD asks about a link and does not follow it
            self._note(code, scope)

    async def _find(self, code: str) -> Target | None:
        return await look_up(code, cache=self._cache, finder=self._finder)

    def _note(self, code: str, scope: Scope) -> None:
        try:
            self._buffer.put(self._clicks.pack(code, scope))
        except Exception:
            metrics.DROPPED.labels(reason="not_made").inc()
            log.exception("click_not_noted", code=code)

    async def _send_page(self, name: str, scope: Scope, send: Send) -> None:
        self._outcomes[name] += 1
        await _send(send, getattr(self._in_language_of(scope), name), scope["method"])

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
