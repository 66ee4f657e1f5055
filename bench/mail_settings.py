"""The settings of ``make bench-notifications``: mails of a few words, through the queues and limits of all mails."""

from dataclasses import replace

# ruff: noqa: F403
from bench.settings import *
from bench.settings import LEDGER_TASKS
from config.settings import LEDGER_DESTINATIONS

LEDGER_TASKS = {**LEDGER_TASKS, "bench.tell": "messages", "bench.tell_many": "bulk"}
LEDGER_DESTINATIONS = tuple(  # type: ignore[assignment]
    replace(destination, tasks=(*destination.tasks, "bench.tell", "bench.tell_many"))
    if destination.name == "mail"
    else destination
    for destination in LEDGER_DESTINATIONS
)
