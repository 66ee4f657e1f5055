"""Ports of 127.0.0.1 for servers of a test's own."""

from __future__ import annotations

import os
import random
from itertools import cycle, islice

from deploy.local.ports import RANGE, is_free

SHARES = 16
"""Test processes that run side by side choose from a share each, and so never the same port."""


def _in_turn() -> list[int]:
    """This process's share, in an order of its own: what stands beside it may run tests as well."""
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    share = list(RANGE[number % SHARES :: SHARES])
    return random.sample(share, len(share))


_next = cycle(_in_turn())


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, and that nobody takes before a server of the test does, or for as long as none.

    They lie below those that Linux gives to clients' connections, and none is told again before all were.
    """
    return list(islice(filter(is_free, _next), count))
