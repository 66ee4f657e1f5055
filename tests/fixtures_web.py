"""The web server by itself, as it runs in production."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fixtures_jobs import broker_url, environment
from tests.fixtures_storefront import answers
from tests.ports import free_ports
from tests.processes import Process, procfile_command, wait_for


@pytest.fixture
def web_port(transactional_db: None) -> Iterator[int]:
    """The web server as the Procfile starts it, on the test's database; the port that it listens on."""
    (port,) = free_ports(1)
    variables = environment(broker_url("redis")) | {"PORT": str(port), "PUBLIC_URL": f"http://127.0.0.1:{port}"}
    process = Process("web", procfile_command("web", variables), variables, ready="")
    try:
        wait_for(lambda: answers(port), what="the web server listens")
        yield port
    finally:
        process.kill()
        # pytest shows this only for a test that failed
        print("--- web ---\n", "".join(process.output[-60:]))  # noqa: T201
