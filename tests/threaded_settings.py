"""The settings of processes whose workers run the probe's jobs in threads."""

from dataclasses import replace

# ruff: noqa: F403
from tests.settings import *
from tests.settings import LEDGER_DESTINATIONS, LEDGER_POOLS

LEDGER_POOLS = tuple(replace(pool, kind="threads") if pool.name == "probe" else pool for pool in LEDGER_POOLS)
# Shorter than the soft limit of the probe's queue.
LEDGER_DESTINATIONS = tuple(
    replace(destination, timeout_seconds=1) if destination.name.startswith("probe_") else destination
    for destination in LEDGER_DESTINATIONS
)
