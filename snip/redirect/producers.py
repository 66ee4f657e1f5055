"""``POST /clicks``: who sends visitors on by himself (an app, a partner's server) brings his clicks into the same log.

Unlike a visitor, a producer can wait: he is answered when Redis has taken the clicks, and told to come back when the
log is full or away. He makes the ids, and sends the same ones again, so that nothing counts twice.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID

import redis.asyncio
from redis.exceptions import RedisError

from snip.event import AgentClass, Click, MalformedClick, pack, unpack
from snip.log.append import append_async
from snip.log.bounds import Bounds, Policy
from snip.redirect import metrics
from snip.redirect.answers import Answer, plain
from snip.redirect.visitor import Headers

MOST_CLICKS = 1_000
MOST_BYTES = 256 * 1024
RETRY_AFTER = (b"retry-after", b"5")

_NOT_YOU = plain(401, "Send the token of SNIP_PRODUCER_TOKEN as a bearer.\n", (b"www-authenticate", b"Bearer"))
_TOO_MUCH = plain(413, f"At most {MOST_CLICKS} clicks and {MOST_BYTES} bytes at once.\n")
_LATER = plain(503, "The log takes no clicks just now. Send the same ones again.\n", RETRY_AFTER)

Receive = Callable[[], Awaitable[dict[str, Any]]]


class Producers:
    """Takes clicks from whoever bears ``token``, into the log behind ``client``."""

    def __init__(self, *, token: str, client: redis.asyncio.Redis, bounds: Bounds) -> None:
        self._token = token.encode()
        self._client = client
        self._bounds = bounds

    async def take(self, *, headers: Headers, receive: Receive) -> Answer:
        """Return the answer to one request: 202 when its clicks are in the log, 503 when they are to be sent again."""
        if not self._bears_the_token(next((value for name, value in headers if name == b"authorization"), b"")):
            return _NOT_YOU
        body = await _body(receive)
        if body is None:
            return _TOO_MUCH
        try:
            clicks = read_clicks(body)
        except ValueError as error:
            return plain(400, f"{error}\n")
        return _TOO_MUCH if len(clicks) > MOST_CLICKS else await self._append(clicks)

    def _bears_the_token(self, authorization: bytes) -> bool:
        scheme, _, given = authorization.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token)

    async def _append(self, clicks: Sequence[tuple[UUID, bytes]]) -> Answer:
        try:
            appended = await append_async(client=self._client, clicks=clicks, bounds=self._bounds)
        except (RedisError, OSError, TimeoutError):
            return _LATER
        metrics.LOGGED.inc(appended.written)
        metrics.SHED.inc(appended.shed_oldest)
        if appended.turned_away and self._bounds.policy is Policy.REFUSE:
            return _LATER
        metrics.DROPPED.labels(reason="log_full").inc(appended.turned_away)
        return plain(202, f"{appended.written}\n")


def read_clicks(body: bytes) -> list[tuple[UUID, bytes]]:
    """Return the clicks of a body, ids and packed: a JSON list of objects with ``id`` and ``code``, and, where known,
    ``country``, ``agent`` (a class by its name) and ``referrer`` (a host).

    Raises ValueError with the number of the first that is none, from 0 on. Pure.
    """
    try:
        listed = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError("Send a JSON list of clicks.") from error
    if not isinstance(listed, list):
        raise ValueError("Send a JSON list of clicks.")
    clicks = []
    for number, given in enumerate(listed):
        try:
            clicks.append(_click(given))
        except (MalformedClick, KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"Number {number} is no click.") from error
    return clicks


def _click(given: dict[str, str]) -> tuple[UUID, bytes]:
    click = Click(
        id=UUID(given["id"]),
        code=given["code"].lower(),
        country=given.get("country", ""),
        agent=AgentClass[given.get("agent", "other").upper()],
        referrer=given.get("referrer", "").lower(),
    )
    packed = pack(click)
    unpack(packed)  # as strictly as whoever reads it
    return click.id, packed


async def _body(receive: Receive) -> bytes | None:
    """The body of the request; None when it is too long."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            return None
        if not message.get("more_body"):
            return body
