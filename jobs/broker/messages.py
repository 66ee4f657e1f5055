"""A job's message: the job's id and its database, in the shape that a Celery worker takes.

Nothing else travels, so there is nothing personal in a broker, and a stale message can do no harm.
"""

from __future__ import annotations

import json
from typing import Any

from jobs.transitions import Message

_EMBED = '{"callbacks": null, "errbacks": null, "chain": null, "chord": null}'
_SHAPE = "body is not [[job, database], {}, {…}]"
LARGEST_BODY_BYTES = 4096
"""A body of ours has about 100; a larger one is not ours."""
LONGEST_CORRELATION_ID = 255
"""Characters of it that travel; the row has all of it, and the run goes by the row. RabbitMQ closes the connection over
headers of more than 128 kB, which would stop a relay at that job for ever."""
LARGEST_ID = 2**63 - 1
"""What the row's id, a bigint, can hold."""
LARGEST_NUMBER = 2**31 - 1
"""What the row's publish number, an integer, can hold."""


class MalformedMessage(Exception):
    """The message is not one of the ledger's."""


FIXED_HEADERS: dict[str, Any] = {
    "lang": "py",
    "parent_id": None,
    "group": None,
    "retries": 0,
    "eta": None,
    "expires": None,
    "timelimit": [None, None],
    "kwargsrepr": "{}",
    "ignore_result": True,
}
"""Celery's protocol 2 headers, as far as they are the same for all."""


def identity_of(message: Message) -> str:
    """Names the publication, so that Celery tells two of them apart, and the broker's returns are understood."""
    return f"{message.using}:{message.job_id}:{message.publish_number}"


def own_headers_of(message: Message) -> dict[str, str | int]:
    """The headers that differ from message to message."""
    identity = identity_of(message)
    return {
        "task": message.task,
        "id": identity,
        "root_id": identity,
        "argsrepr": f"({message.job_id}, {message.using!r})",
        "publish_number": message.publish_number,
        "correlation_id": message.correlation_id[:LONGEST_CORRELATION_ID],
    }


def headers_of(message: Message) -> dict[str, Any]:
    """All headers of Celery's protocol 2, and ours."""
    return {**FIXED_HEADERS, **own_headers_of(message)}


def body_of(message: Message) -> bytes:
    """Celery's protocol 2 body: positional arguments, keyword arguments, embedded options."""
    return f'[[{message.job_id}, "{message.using}"], {{}}, {_EMBED}]'.encode()


def properties_of(message: Message) -> dict[str, Any]:
    """Persistent, and tagged with the publication's id for the broker's returns."""
    return {"delivery_mode": 2, "correlation_id": identity_of(message), "reply_to": ""}


def read_message(headers: Any, body: Any, content_type: Any) -> Message:
    """Return the publication that a message stands for; its queue is left empty.

    Raises MalformedMessage with the reason, and nothing else, whatever a stranger may have sent.
    """
    if not isinstance(headers, dict):
        raise MalformedMessage("no headers")
    task, identity = headers.get("task"), headers.get("id")
    if not isinstance(task, str) or not isinstance(identity, str):
        raise MalformedMessage("no task name or no id")
    if content_type != "application/json":
        raise MalformedMessage("content type is not JSON")
    if not isinstance(body, (str, bytes, memoryview)):
        raise MalformedMessage("no body")
    if len(body) > LARGEST_BODY_BYTES:
        raise MalformedMessage("body is too large")
    try:
        args, kwargs, embed = json.loads(body if isinstance(body, str) else bytes(body))
        job_id, using = args
    except (ValueError, TypeError, RecursionError) as error:
        raise MalformedMessage(_SHAPE) from error
    if not (_is_id(job_id) and isinstance(using, str) and kwargs == {} and isinstance(embed, dict)):
        raise MalformedMessage(_SHAPE)
    correlation_id = headers.get("correlation_id")
    return Message(
        job_id=job_id,
        using=using,
        queue="",
        task=task,
        publish_number=_publish_number(headers.get("publish_number")),
        correlation_id=correlation_id if isinstance(correlation_id, str) else "",
    )


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= LARGEST_ID


def _publish_number(value: object) -> int:
    """The number if it can be one; 0, which no publication has, if it cannot."""
    return value if isinstance(value, int) and 0 < value <= LARGEST_NUMBER else 0
