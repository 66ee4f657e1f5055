"""How urgent each kind of mail is, which decides the queue that its job waits in.

A kind that many get at once says ``URGENT = False`` in its module, and its mails are sent with what the provider's rate
leaves; every other one is what somebody waits for.
"""

from __future__ import annotations

from importlib import import_module

from boxoffice.errors import UnknownMessage
from boxoffice.messages import KINDS, KINDS_FOR_EACH_TIME, KINDS_FOR_MANY

URGENT_TASK, BULK_TASK = MAIL_TASKS = ("boxoffice.send_message", "boxoffice.send_bulk")


def is_urgent(*, kind: str) -> bool:
    """Whether somebody waits for mails of this kind. Raises UnknownMessage for one that is not listed."""
    for writers in (KINDS, KINDS_FOR_MANY, KINDS_FOR_EACH_TIME):
        if kind in writers:
            return bool(getattr(import_module(writers[kind].__module__), "URGENT", True))
    raise UnknownMessage


def mail_task(*, kind: str) -> str:
    """The task that sends mails of this kind. Raises UnknownMessage."""
    return URGENT_TASK if is_urgent(kind=kind) else BULK_TASK
