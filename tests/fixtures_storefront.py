"""Fixtures of the browser's tests: Debian's Chromium, and a whole box office for it to visit."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from limits import RateLimitItemPerMinute
from playwright.sync_api import BrowserContext, Page

from boxoffice.storefront import seat_board
from jobs.flow import admission
from notifications.limits import askers
from tests.browser import Chromium
from tests.fixtures_jobs import broker_url, empty, environment
from tests.fixtures_payments import Payments
from tests.payment_keys import WEBHOOK_SECRET
from tests.ports import free_ports
from tests.processes import Process, wait_for


@dataclass(frozen=True)
class Site:
    """A running box office: its address, and the folder of the mails that it sent."""

    address: str
    maildir: Path


@dataclass(frozen=True)
class Visit:
    """A browser's window, and all that the browser complained about."""

    page: Page
    context: BrowserContext
    complaints: list[str]


Visiting = Callable[..., AbstractContextManager[Visit]]

# A wheel that turns while tickets are made would take most of a processor, which those who make them have need of.
USUAL = {"locale": "en-GB", "reduced_motion": "reduce"}


@pytest.fixture
def site(transactional_db: None, tmp_path: Path) -> Iterator[Site]:
    """The web server, the relay, a worker for every queue and a mail server, on the test's database."""
    with _running_site(tmp_path) as running:
        yield running


@pytest.fixture
def paying_site(transactional_db: None, tmp_path: Path, payments: Payments) -> Iterator[Site]:
    """The same, with the payment provider's stand-in, which tells it what happens."""
    with _running_site(tmp_path, STRIPE_API_BASE=payments.address) as running:
        payments.post("endpoint", url=f"{running.address}/webhooks/stripe/", secret=WEBHOOK_SECRET)
        yield running
        payments.post("endpoint", url="", secret=WEBHOOK_SECRET)


@contextmanager
def _running_site(folder: Path, **own: str) -> Iterator[Site]:
    url = broker_url("redis")
    empty(url)
    web, smtp = free_ports(2)
    maildir = folder / "mail"
    variables = environment(url) | {
        "EMAIL_URL": f"smtp://127.0.0.1:{smtp}",
        "SMTP_PORT": str(smtp),
        "SANDBOX_MAILDIR": str(maildir),
        "MEDIA_ROOT": str(folder / "media"),
        "PUBLIC_URL": f"http://127.0.0.1:{web}",
        **own,
    }
    processes = [Process(name, command, variables, ready=ready) for name, command, ready in _commands(web)]
    try:
        for process in processes:
            process.wait_until_ready()
        wait_for(lambda: answers(web), what="the web server listens")
        yield Site(address=f"http://127.0.0.1:{web}", maildir=maildir)
    finally:
        for process in processes:
            process.kill()
            # pytest shows this only for a test that failed
            print(f"--- {process.name} ---\n", "".join(process.output[-60:]))  # noqa: T201


def _commands(port: int) -> list[tuple[str, list[str], str]]:
    """Each process by its name, with its command and what it prints when it is ready."""
    python = sys.executable
    granian = [python, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    celery = [python, "-m", "celery", "-A", "config", "worker", "-l", "INFO", "-c", "2", "--without-mingle"]
    return [
        ("mail", [python, "-m", "sandbox", "smtp"], "READY"),
        ("web", [*granian, "--workers", "1", "--no-ws", "config.wsgi:application"], "Started worker"),
        ("relay", [python, "manage.py", "relay"], "relay ready"),
        ("worker", [*celery, "-Q", "default,tickets,messages,bulk,payments"], " ready."),
    ]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """The browser of all tests of this process."""
    chromium = Chromium()
    yield chromium
    chromium.close()


@pytest.fixture
def visiting(chromium: Chromium) -> Visiting:
    """Opens a browser's window for the length of a block.

    While one is open, this thread runs Playwright's event loop and Django refuses to query: ask before, or after.
    """
    if not chromium.installed:
        pytest.skip("no Chromium: apt-get install chromium")

    @contextmanager
    def visit(*arguments: str, whole: bool = False, **options: object) -> Iterator[Visit]:
        with chromium.opened(*arguments, whole=whole) as browser:
            context = browser.new_context(**{**USUAL, **options})  # type: ignore[arg-type]
            page = context.new_page()
            complaints: list[str] = []
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
            yield Visit(page=page, context=context, complaints=complaints)

    return visit


def answers(port: int) -> bool:
    """Whether somebody listens on that port of 127.0.0.1."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(autouse=True)
def _nothing_remembered_of_the_load() -> Iterator[None]:
    """What one test made the edge believe of the queues must not reach the next."""
    admission.forget()
    yield
    admission.forget()


@pytest.fixture(autouse=True)
def _nobody_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tests ask from one address, and each begins to count anew."""
    limit = RateLimitItemPerMinute(askers.MOST, askers.WINDOW_MINUTES, namespace=f"tests:{uuid4()}")
    monkeypatch.setattr(askers, "LIMIT", limit)


@pytest.fixture(autouse=True)
def _nothing_remembered_of_the_seats() -> Iterator[None]:
    """Tests are quicker than the second for which a process remembers how the seats of a show stand."""
    seat_board.forget()
    yield
    seat_board.forget()
