"""The table's own promises: a name is a class that exists, a class is found by its name, the page is the table."""

from __future__ import annotations

import errno
from pathlib import Path

import psycopg.errors
import pytest
from botocore.retries.standard import ThrottledRetryableChecker, TransientRetryableChecker
from django.utils.module_loading import import_string

from jobs.failures import codes, evidence
from jobs.failures.classify import classify
from jobs.failures.page import render
from jobs.failures.retry import FailureClass
from jobs.failures.table import BY_NAME, TABLE, WRAPPERS, Verdict

ROOT = Path(__file__).parents[3]
KNOWN_SQLSTATES = {state for state in psycopg.errors._sqlcodes if len(state) == 5}


def bare(name: str) -> BaseException:
    """An instance of the named class that carries nothing: no status, no code, no cause."""
    found = import_string(name)
    return found.__new__(found)


def verdict_of(state: str) -> Verdict | None:
    return codes.by_beginning(codes.SQLSTATES, state)


@pytest.mark.parametrize("name", [*BY_NAME, *sorted(WRAPPERS - set(BY_NAME))])
def test_a_name_in_the_table_is_that_of_an_exception_so_it_is_no_typo(name: str) -> None:
    assert isinstance(bare(name), BaseException)
    assert next(evidence.names(bare(name))) == name, "the class is another one's alias: it would never be found"


@pytest.mark.parametrize("name", BY_NAME)
def test_an_exception_that_carries_nothing_else_is_classed_by_its_name(name: str) -> None:
    assert classify(bare(name)) is BY_NAME[name][0]


@pytest.mark.parametrize("name", BY_NAME)
def test_a_library_may_derive_its_own_from_a_named_exception(name: str) -> None:
    derived = type("Derived", (import_string(name),), {})
    assert classify(derived.__new__(derived)) is BY_NAME[name][0]


def test_no_name_stands_in_the_table_twice() -> None:
    assert len(BY_NAME) == sum(len(names) for names in TABLE.values())


@pytest.mark.parametrize("state", codes.SQLSTATES)
def test_a_sqlstate_in_the_table_is_one_of_postgresqls(state: str) -> None:
    assert any(known.startswith(state) for known in KNOWN_SQLSTATES)


@pytest.mark.parametrize(
    "state", sorted(state for state in KNOWN_SQLSTATES if codes.by_beginning(codes.SQLSTATES, state))
)
def test_every_error_of_postgresql_is_classed_by_its_sqlstate(state: str) -> None:
    said = verdict_of(state)
    assert said is not None
    assert classify(psycopg.errors.lookup(state)()) is said[0]


@pytest.mark.parametrize("number", codes.ERRNOS)
def test_a_fault_of_the_machine_is_an_errno_that_exists_here(number: str) -> None:
    assert classify(OSError(getattr(errno, number), "said the kernel")) is codes.ERRNOS[number][0]


def test_what_botocore_itself_takes_for_a_throttle_or_for_passing_costs_no_job_its_life() -> None:
    known = codes.PROVIDER_CODES["botocore"]
    botocores = {*ThrottledRetryableChecker._THROTTLED_ERROR_CODES, *TransientRetryableChecker._TRANSIENT_ERROR_CODES}
    assert botocores <= set(known)
    assert FailureClass.PERMANENT not in {failure for failure, _ in known.values()}


def test_every_verdict_says_why() -> None:
    tables = [BY_NAME, codes.HTTP_STATUSES, codes.SMTP_CODES, codes.SQLSTATES, codes.ERRNOS]
    tables += [*codes.OTHER_STATUSES.values(), *codes.PROVIDER_CODES.values()]
    assert all(len(why) > 5 for table in tables for _, why in table.values())


def test_the_page_for_operators_is_printed_from_the_tables() -> None:
    assert (ROOT / "docs/failures.md").read_text() == render(), "run python -m jobs.failures.page > docs/failures.md"
