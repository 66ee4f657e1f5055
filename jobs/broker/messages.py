"""A job's message: the job's id and its database, in the shape that a Celery worker takes.

Nothing else travels, so there is nothing personal in a broker, and a stale message can do no harm.
"""

from __future__ import annotations

import json
from typing import Any

from jobs.transitions import Message

_EMBED = '{"callbacks": null, "errbacks": null, "chain": null, "chord": null}'
LARGEST_BODY_BYTES = 4096
"""A body of ours has about 100; a larger one is not ours."""


class MalformedMessage(Exception):
    """The message is not one of the ledger's."""


def headers_of(message: Message) -> dict[str, Any]:
    """Celery's protocol 2 headers. The id names the publication, so that Celery tells two of them apart."""
    identity = f"{message.using}:{message.job_id}:{message.publish_number}"
    return {
        "lang": "py",
        "task": message.task,
        "id": identity,
        "root_id": identity,
        "parent_id": None,
        "group": None,
        "retries": 0,
        "eta": None,
        "expires": None,
        "timelimit": [None, None],
        "argsrepr": f"({message.job_id}, {message.using!r})",
        "kwargsrepr": "{}",
        "ignore_result": True,
        "publish_number": message.publish_number,
        "correlation_id": message.correlation_id,
    }


def body_of(message: Message) -> bytes:
    """Celery's protocol 2 body: positional arguments, keyword arguments, embedded options."""
    return f'[[{message.job_id}, "{message.using}"], {{}}, {_EMBED}]'.encode()


def properties_of(message: Message) -> dict[str, Any]:
    """Persistent, and tagged with the publication's id for the broker's returns."""
    identity = f"{message.using}:{message.job_id}:{message.publish_number}"
    return {"delivery_mode": 2, "correlation_id": identity, "reply_to": ""}


def read_message(headers: Any, body: bytes | str | memoryview, content_type: str | None) -> tuple[str, int, str]:
    """Return (task, job id, database) of a message of ours.

    Raises MalformedMessage with the reason for anything else.
    """
    if not isinstance(headers, dict):
        raise MalformedMessage("no headers")
    task, identity = headers.get("task"), headers.get("id")
    if not isinstance(task, str) or not isinstance(identity, str):
        raise MalformedMessage("no task name or no id")
    if content_type != "application/json":
        raise MalformedMessage("content type is not JSON")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    if len(raw) > LARGEST_BODY_BYTES:
        raise MalformedMessage("body is too large")
    try:
        args, kwargs, embed = json.loads(raw)
        job_id, using = args
    except (ValueError, TypeError) as error:
        raise MalformedMessage("body is not [[job, database], {}, {…}]") from error
    if not (isinstance(job_id, int) and isinstance(using, str) and kwargs == {} and isinstance(embed, dict)):
        raise MalformedMessage("body is not [[job, database], {}, {…}]")
    return task, job_id, using
