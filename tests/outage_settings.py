"""The settings of processes that send mail through an outage: a minute of the real mail provider's is a second here."""

from dataclasses import replace

# ruff: noqa: F403
from tests.settings import *
from tests.settings import LEDGER_DESTINATIONS

RATE_PER_SECOND = 25.0

LEDGER_DESTINATIONS = tuple(
    replace(
        destination,
        tasks=(*destination.tasks, "probe.tell", "probe.tell_many"),
        rate_per_second=RATE_PER_SECOND,
        failures_to_open=5,
        first_wait_seconds=0.3,
        longest_wait_seconds=0.6,
    )
    if destination.name == "mail"
    else destination
    for destination in LEDGER_DESTINATIONS
)
