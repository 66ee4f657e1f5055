"""A lease lies in the database whose rows it protects."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from jobs.errors import NotInTransaction
from jobs.lease import exclusive
from tests.fixtures_databases import NORTH, two_ledgers
from tests.probe.models import Mark

pytestmark = two_ledgers


def test_each_shard_has_its_own_lock_of_a_name_and_protects_its_own_rows(north: dict[str, Any]) -> None:
    with exclusive("a", at_most=60) as ours, exclusive("a", at_most=60, using=NORTH) as theirs:
        with transaction.atomic(using=NORTH):
            theirs.prove()
            Mark.objects.using(NORTH).create(key="protected")
            with pytest.raises(NotInTransaction):
                ours.prove()
