"""Fixtures of the redirect's tests: links that lead somewhere, and the process, on lines that can be cut."""

from __future__ import annotations

import http.client
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
import redis
from django.conf import settings
from django.db import connection

from snip.event import Click, unpack
from snip.log.streams import marks_of, stream_names
from snip.models import Link, LinkCode
from tests.network import Line
from tests.ports import free_ports
from tests.processes import Process, wait_for

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Mobile/15E148"
_number = count(1)


@dataclass(frozen=True)
class Visited:
    """One answer."""

    status: int
    headers: dict[str, str]
    body: bytes


class RedirectProcess:
    """The redirect under granian, and its ways to PostgreSQL and Redis."""

    def __init__(self, **environment: str) -> None:
        self.postgres, self.redis = Line(database_url()), Line(settings.REDIS_URL)
        (self.port,) = free_ports(1)
        variables = {
            **os.environ,
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.redis.url,
            "PUBLIC_URL": "http://127.0.0.1:8000",
            "SNIP_BASE_URL": f"http://127.0.0.1:{self.port}",
            "SNIP_COUNTRY_HEADER": "X-Country",
            **environment,
        }
        granian = [sys.executable, "-m", "granian", "--interface", "asgi", "--host", "127.0.0.1"]
        command = [*granian, "--port", str(self.port), "--workers-kill-timeout", "5", "--no-ws"]
        self.process = Process("redirect", [*command, "config.redirect:application"], variables, ready="Started worker")

    def wait_until_ready(self) -> None:
        self.process.wait_until_ready()
        wait_for(self._answers, what="the redirect listens")

    def visit(self, path: str, *, method: str = "GET", **headers: str) -> Visited:
        """Ask for ``path`` as a telephone does; ``headers`` with underscores for hyphens."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            client.request(method, path, headers={"User-Agent": PHONE, **given})
            answer = client.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Visited(answer.status, told, answer.read())
        finally:
            client.close()

    def _answers(self) -> bool:
        try:
            return self.visit("/healthz").status == 200
        except OSError:
            return False

    def stop(self) -> None:
        self.process.kill()
        for line in (self.postgres, self.redis):
            line.cut()
        print("".join(self.process.output[-60:]))  # noqa: T201 - pytest shows it for a test that failed


def database_url() -> str:
    """The tests' database."""
    of = connection.settings_dict
    password = f":{of['PASSWORD']}" if of["PASSWORD"] else ""
    return f"postgres://{of['USER']}{password}@{of['HOST']}:{of['PORT']}/{of['NAME']}"


@pytest.fixture(scope="module")
def redirect_of_module(django_db_setup: None) -> Iterator[RedirectProcess]:
    """One process for all tests of a module."""
    with running_redirect() as running:
        yield running


@pytest.fixture
def redirect_process(redirect_of_module: RedirectProcess) -> Iterator[RedirectProcess]:
    """The module's process, with both lines whole, and PostgreSQL asked since."""
    wait_for(lambda: redirect_of_module.visit(f"/nobody{next(_number)}").status == 404, what="PostgreSQL is asked")
    yield redirect_of_module
    for line in (redirect_of_module.postgres, redirect_of_module.redis):
        line.cut()
        line.restore()


@contextmanager
def running_redirect(**environment: str) -> Iterator[RedirectProcess]:
    """A process of one's own."""
    running = RedirectProcess(**environment)
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.stop()


@pytest.fixture
def live_link(db: None) -> Callable[..., str]:
    """Makes a link that leads somewhere; returns its code, which no other test has used."""

    def make(target: str = "https://example.org/shows", *, state: str = "live", **fields: Any) -> str:
        link = Link.objects.create(
            target=target, served_target=fields.pop("served_target", target), state=state, **fields
        )
        code = f"t{os.getpid()}x{next(_number)}"
        LinkCode.objects.create(code=code, link=link)
        return code

    return make


class ClickLog:
    """The log of clicks in the tests' Redis."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client

    def clicks(self, code: str) -> list[Click]:
        """All clicks on ``code``."""
        return [click for click in self._all() if click.code == code]

    def empty(self) -> None:
        names = stream_names(settings.SNIP_STREAMS)
        self.client.delete(*names, *map(marks_of, names))

    def _all(self) -> list[Click]:
        names = stream_names(settings.SNIP_STREAMS)
        return [unpack(fields[b"c"]) for name in names for _, fields in self.client.xrange(name)]


@pytest.fixture
def click_log() -> Iterator[ClickLog]:
    """The log, empty before and after."""
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=20) as client:
        log = ClickLog(client)
        log.empty()
        yield log
        log.empty()
