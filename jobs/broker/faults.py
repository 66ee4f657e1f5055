"""A queue that cannot be used as it is: something else stands at the broker under its name.

On RabbitMQ it is a queue that was declared with other arguments, which cannot be changed; on Redis a key that holds no
list. Guarantee: such a queue holds up nobody but itself. It is named once in the log of each process, with what to do,
it is counted, and it is taken up again when it is mended.
"""

from __future__ import annotations

import structlog

from jobs import metrics

log = structlog.get_logger(__name__)

LOOK_AGAIN_SECONDS = 2.0
"""How long a queue with a fault is left alone before somebody looks whether it was mended."""

_known: dict[str, str] = {}


class QueueUnusable(Exception):
    """The broker has something else under the queue's name; its jobs wait in the ledger until it is deleted."""


def note_fault(*, queue: str, fault: str, mend: str) -> None:
    """Say once that the queue cannot be used, and count it until it is mended."""
    if _known.get(queue) != fault:
        _known[queue] = fault
        metrics.UNUSABLE.labels(queue=queue).set(1)
        log.error("queue_unusable", queue=queue, fault=fault, mend=mend)


def note_usable(*, queue: str) -> None:
    """Say that a queue that had a fault is mended; silent about all others."""
    if _known.pop(queue, None) is not None:
        metrics.UNUSABLE.labels(queue=queue).set(0)
        log.warning("queue_usable_again", queue=queue)
