"""Test processes side by side: none meets the queues, the files or the long parts of another."""

from __future__ import annotations

import pytest

from deploy.local.redis import SETTINGS
from tests.own_servers import DATABASES_EACH, own_addresses
from tests.plugin_processes import LIVE, LONG, part_of, rank
from tests.processes import ROOT

ALONE = {
    "BROKER_URL": "redis://:secret@127.0.0.1:6379/1",
    "REDIS_URL": "redis://:secret@127.0.0.1:6379/0",
    "TEST_BROKER_URL_REDIS": "redis://:secret@127.0.0.1:6379/2",
    "TEST_BROKER_URL_RABBITMQ": "amqp://guest:secret@127.0.0.1:5672//",
    "MEDIA_ROOT": "/local/test/media",
    "DATABASE_URL": "postgres://127.0.0.1/boxoffice",
}


def test_no_two_processes_share_a_broker_or_a_folder_and_none_has_that_of_a_run_alone() -> None:
    processes = [own_addresses(ALONE, process=f"gw{number}") for number in range(4)]
    addresses = [ALONE[name] for name in processes[0]] + [url for own in processes for url in own.values()]
    assert len(set(addresses)) == len(addresses) == 5 * 5


def test_a_process_keeps_its_servers_passwords_and_what_pytest_django_changes_itself() -> None:
    own = own_addresses(ALONE, process="gw1")
    assert own["TEST_BROKER_URL_REDIS"] == "redis://:secret@127.0.0.1:6379/8"
    assert own["TEST_BROKER_URL_RABBITMQ"] == "amqp://guest:secret@127.0.0.1:5672/gw1"
    assert "DATABASE_URL" not in own


def test_what_is_not_there_stays_away() -> None:
    """A test whose broker has no address is skipped, and says so."""
    assert "TEST_BROKER_URL_RABBITMQ" not in own_addresses(ALONE | {"TEST_BROKER_URL_RABBITMQ": ""}, process="gw0")


def test_the_local_redis_has_databases_for_more_processes_than_anybody_starts() -> None:
    (databases,) = [int(line.split()[1]) for line in SETTINGS.splitlines() if line.startswith("databases ")]
    assert databases >= DATABASES_EACH * (16 + 1)


@pytest.mark.parametrize(
    ("test", "part"),
    [
        ("tests/unit/test_a.py::test_one", "tests/unit/test_a.py"),
        ("tests/integration/jobs/test_a.py::test_one[redis]", "tests/integration/jobs/test_a.py"),
        (f"{LIVE}/test_a.py::test_one[redis]", f"{LIVE}[redis]"),
        (f"{LIVE}/test_b.py::test_one[rabbitmq-after the claim]", f"{LIVE}[rabbitmq]"),
        (f"{LIVE}/test_b.py::test_one[kill all-redis]", f"{LIVE}[redis]"),
        (f"{LIVE}/test_b.py::test_of_no_broker", f"{LIVE}/test_b.py"),
    ],
)
def test_a_file_is_run_by_one_process_and_the_live_tests_by_one_for_each_broker(test: str, part: str) -> None:
    assert part_of(test) == part


def test_the_long_parts_begin_first() -> None:
    waits_for_workers = "tests/integration/tickets/test_worker.py"
    parts = ["tests/unit/test_a.py", waits_for_workers, "tests/e2e/test_a.py", f"{LIVE}[redis]"]
    assert sorted(parts, key=rank) == parts[::-1]


def test_the_long_parts_are_where_the_list_says() -> None:
    """A file that was moved would begin late and be waited for, and nobody would notice."""
    assert [part for part in LONG if not (ROOT / part).exists()] == []
