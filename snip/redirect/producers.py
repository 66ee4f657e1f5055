"""``POST /clicks``: who sends visitors on by himself (an app, a partner's server) brings his clicks into the same log.

Guarantee: a click on a code that PostgreSQL knows nothing of makes no rows; while it is away, all are taken.

Unlike a visitor, a producer can wait: he is answered when Redis has taken the clicks, and told to come back when the
log is full or away. He makes the ids, and sends the same ones again, so that nothing counts twice.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable, Sequence, Set
from typing import Any
from uuid import UUID

import redis.asyncio
from redis.exceptions import RedisError

from snip.event import AgentClass, Click, MalformedClick, pack, unpack
from snip.log.append import append_async
from snip.log.bounds import Bounds, Policy
from snip.redirect import metrics
from snip.redirect.answers import Answer, plain
from snip.redirect.target import Leads, Target
from snip.redirect.visitor import Headers

MOST_CLICKS = 1_000
MOST_BYTES = 256 * 1024
RETRY_AFTER = (b"retry-after", b"5")

_NOT_YOU = plain(401, "Send the token of SNIP_PRODUCER_TOKEN as a bearer.\n", (b"www-authenticate", b"Bearer"))
_TOO_MUCH = plain(413, f"At most {MOST_CLICKS} clicks and {MOST_BYTES} bytes at once.\n")
_LATER = plain(503, "The log takes no clicks just now. Send the same ones again.\n", RETRY_AFTER)

CODE = re.compile(r"[a-z0-9-]{1,32}")
"""What may be a code at all. PostgreSQL is asked about nothing else."""

Receive = Callable[[], Awaitable[dict[str, Any]]]
Find = Callable[[str], Awaitable[Target | None]]


class Producers:
    """Takes clicks from whoever bears ``token``, into the log behind ``client``.

    ``find`` tells where a code leads; None where nobody can tell at present.
    """

    def __init__(self, *, token: str, client: redis.asyncio.Redis, bounds: Bounds, find: Find) -> None:
        self._token = token.encode()
        self._client = client
        self._bounds = bounds
        self._find = find

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
        if len(clicks) > MOST_CLICKS:
            return _TOO_MUCH
        unknown = await self._unknown({click.code for click, _ in clicks})
        for number, (click, _) in enumerate(clicks):
            if click.code in unknown:
                return plain(400, f"Number {number} is a click on a code that there is not.\n")
        return await self._append([packed for _, packed in clicks])

    def _bears_the_token(self, authorization: bytes) -> bool:
        scheme, _, given = authorization.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token)

    async def _unknown(self, codes: Set[str]) -> set[str]:
        """Those that never were a link's. One that is retired, blocked or over was, and its late clicks are counted."""

        def is_none(target: Target | None) -> bool:
            return target is not None and target.leads is Leads.UNKNOWN and not target.is_made

        asked = [code for code in codes if CODE.fullmatch(code)]
        found = await asyncio.gather(*map(self._find, asked))
        none = {code for code, target in zip(asked, found, strict=True) if is_none(target)}
        return none | (codes - set(asked))

    async def _append(self, clicks: Sequence[bytes]) -> Answer:
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


def read_clicks(body: bytes) -> list[tuple[Click, bytes]]:
    """Return the clicks of a body, each with its packed form: a JSON list of objects with ``id`` and ``code``, and,
    where known, ``country``, ``agent`` (a class by its name) and ``referrer`` (a host).

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


def _click(given: dict[str, str]) -> tuple[Click, bytes]:
    click = Click(
        id=UUID(given["id"]),
        code=given["code"].lower(),
        country=given.get("country", ""),
        agent=AgentClass[given.get("agent", "other").upper()],
        referrer=given.get("referrer", "").lower(),
    )
    packed = pack(click)
    unpack(packed)  # as strictly as whoever reads it
    return click, packed


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
