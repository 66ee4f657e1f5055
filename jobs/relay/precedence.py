"""Which queue goes first where several call the same provider, and its rate or its share is short.

The one that stands first in the table of queues. A relay looks at each queue when there is something to expect, and a
flood keeps it looking: whatever a provider still takes would go to the flood, and an urgent job would find nothing left
each time. So whoever is looked at gives way: the queues before it that call one of its providers are looked at first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from django.conf import settings

from jobs.destinations import Destination, all_destinations
from jobs.queues import Queue, all_queues


def with_those_before(names: Collection[str]) -> set[str]:
    """The queues called ``names``, and those that go before one of them."""
    before = _before(all_queues(), all_destinations(), tuple(settings.LEDGER_TASKS.items()))
    return {*names, *(earlier for name in names for earlier in before.get(name, ()))}


@cache
def _before(
    queues: tuple[Queue, ...], destinations: tuple[Destination, ...], tasks: tuple[tuple[str, str], ...]
) -> Mapping[str, frozenset[str]]:
    """By queue, those that stand before it and call one of its providers."""
    place = {queue.name: number for number, queue in enumerate(queues)}
    queue_of = dict(tasks)
    before: dict[str, set[str]] = {name: set() for name in place}
    for destination in destinations:
        called_from = {queue_of.get(task, "") for task in destination.tasks}
        sharing = [name for name in place if name in called_from]
        for number, name in enumerate(sharing):
            before[name].update(sharing[:number])
    return {name: frozenset(earlier) for name, earlier in before.items()}
