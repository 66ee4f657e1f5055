"""A database of a measurement's own, so that it neither disturbs nor is disturbed by what is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def scratch_database(*, name: str) -> Iterator[None]:
    """A migrated, empty database beside the configured one while the block runs."""
    configured = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"{configured}_bench_{name}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(configured, verbosity=0)
