"""What is written to the log: enough to find a fault, nothing that a fan typed, no address that opens an order."""

from __future__ import annotations

import logging
import logging.config
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, connection

FORMATTER = settings.LOGGING["formatters"]["structured"]


def logged(**record: Any) -> str:
    """The line that a record becomes."""
    factory = dict(FORMATTER)
    formatter = factory.pop("()")(**factory)
    return str(formatter.format(logging.makeLogRecord({"levelno": logging.ERROR, "levelname": "ERROR", **record})))


@pytest.mark.django_db
def test_a_row_that_postgresql_quotes_in_an_error_stays_out_of_the_log() -> None:
    name = " ".join(["Ada", "Example"])  # the line of code itself may stand in a traceback
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE guest (name text, age integer CHECK (age > 0))")
        with pytest.raises(IntegrityError) as failure:
            cursor.execute("INSERT INTO guest VALUES (%s, -1)", [name])
    assert name in str(failure.value), "PostgreSQL no longer quotes the row; the redaction can go"
    line = logged(msg="it failed", exc_info=(failure.type, failure.value, failure.tb))
    assert "violates check constraint" in line
    assert name not in line
    quoted = logged(msg="it failed: %r", args=(failure.value,))
    assert "violates check constraint" in quoted
    assert name not in quoted


@pytest.mark.parametrize(
    "address",
    ["/orders/s3cret-token/", "/holds/s3cret-token/release/", "/mails/7:s3cret-token/end/", "/alerts/s3cret-token/"],
)
def test_the_secret_part_of_an_address_stays_out_of_the_log(address: str) -> None:
    line = logged(msg="Not Found: %s", args=(address,))
    assert "s3cret" not in line
    assert "Not Found: /" in line
