"""A sale needs PostgreSQL and the payment provider, nothing else; and all is made good when the rest is back."""

from __future__ import annotations

import mailbox
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.test import Client
from playwright.sync_api import expect

from boxoffice.models import Order
from deploy.local.checkout import Instance
from deploy.local.evidence import read_codes
from deploy.local.redis import Redis
from inventory.models import Show
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_jobs import environment
from tests.fixtures_payments import Payments
from tests.fixtures_storefront import Visiting, answers
from tests.ports import free_ports
from tests.processes import Process, System, wait_for
from tickets.models import Ticket

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OUTBOX = [sys.executable, "-m", "sandbox", "smtp"]


@dataclass
class Surroundings:
    """A web server, and all that it can do without: a Redis that is broker and cache, a mail server, relay, worker."""

    site: str
    redis: Redis
    redis_port: int
    variables: dict[str, str]
    maildir: Path
    processes: list[Process] = field(default_factory=list)
    system: System | None = None

    def start_servers(self) -> None:
        self.redis.start(port=self.redis_port)
        mail = Process("mail", OUTBOX, self.variables, ready="READY")
        self.processes.append(mail)
        mail.wait_until_ready()

    def start_work(self) -> None:
        self.system = System(self.variables)
        self.system.start_relay(wait=False)
        self.system.start_worker(queues="default,tickets,messages,payments", wait=False)

    def stop_all_but_the_web(self) -> None:
        self.redis.stop()
        for process in self.processes[1:]:
            process.kill()
        del self.processes[1:]

    def mails(self) -> list[mailbox.Message]:
        return list(mailbox.Maildir(self.maildir))


@pytest.fixture
def surroundings(transactional_db: None, tmp_path: Path, payments: Payments) -> Iterator[Surroundings]:
    """Private servers; Redis and mail run, and no worker does."""
    instance = Instance("rest", root=tmp_path)
    instance.create()
    redis = Redis(instance=instance, password="of-the-test")
    web_port, redis_port, smtp = free_ports(3)
    site = f"http://127.0.0.1:{web_port}"
    own = f"redis://:of-the-test@127.0.0.1:{redis_port}"
    variables = environment(f"{own}/1") | {
        "REDIS_URL": f"{own}/0",
        "EMAIL_URL": f"smtp://127.0.0.1:{smtp}",
        "SMTP_PORT": str(smtp),
        "SANDBOX_MAILDIR": str(tmp_path / "mail"),
        "MEDIA_ROOT": str(tmp_path / "media"),
        "PUBLIC_URL": site,
        "STRIPE_API_BASE": payments.address,
    }
    granian = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(web_port)]
    web = Process("web", [*granian, "--no-ws", "config.wsgi:application"], variables, ready="Started worker")
    around = Surroundings(site, redis, redis_port, variables, tmp_path / "mail", [web])
    try:
        around.start_servers()
        web.wait_until_ready()
        wait_for(lambda: answers(web_port), what="the web server listens")
        yield around
    finally:
        if around.system is not None:
            around.system.stop()
        for process in around.processes:
            process.kill()
            # pytest shows this only for a test that failed
            print(f"--- {process.name} ---\n", "".join(process.output[-60:]))  # noqa: T201
        redis.stop()


def test_with_broker_redis_mail_and_workers_gone_a_browser_holds_pays_and_reads_confirmed(
    make_show: Callable[..., Show], surroundings: Surroundings, visiting: Visiting, admin_client: Client
) -> None:
    show = make_show(prices={"Front": 4200, "House": 1200})
    staff = admin_client.cookies["sessionid"].value
    with visiting() as visit:
        page = visit.page
        page.goto(f"{surroundings.site}/shows/{show.slug}/")

        surroundings.stop_all_but_the_web()

        page.locator("select[name='count']").select_option("2")
        page.get_by_role("button", name="Hold the best seats").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your 2 seats are held")
        page.get_by_label("Name").fill("Ada Lovelace")
        page.get_by_label("E-mail").fill("ada@example.org")
        page.get_by_role("button", name="Pay 84.00").click()
        page.get_by_role("button", name="Pay").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Confirmed")
        expect(page.get_by_role("img", name=re.compile("QR code of ticket"))).to_have_count(0)

        # Whoever had logged in still is: sessions are in the database.
        visit.context.add_cookies([{"name": "sessionid", "value": staff, "url": surroundings.site}])
        assert visit.context.request.get(f"{surroundings.site}/admin/", max_redirects=0).status == 200

        surroundings.start_servers()
        surroundings.start_work()

        expect(page.get_by_role("img", name=re.compile("QR code of ticket"))).to_have_count(2, timeout=40_000)
        expect(page.get_by_text("Sent to ada@example.org.")).to_be_visible(timeout=20_000)
        assert visit.complaints == []

    order = Order.objects.get()
    assert (order.status, order.total) == ("confirmed", 8400)
    assert list(Ticket.objects.values_list("status", flat=True)) == ["issued", "issued"]
    assert Notification.objects.get().status == "sent"
    wait_for(lambda: _all_done(order), what="every job about the order is done")
    (mail,) = surroundings.mails()
    assert mail["To"] == "Ada Lovelace <ada@example.org>"
    (pdf,) = [part.get_payload(decode=True) for part in mail.walk() if part.get_content_type() == "application/pdf"]
    assert isinstance(pdf, bytes)
    assert len(set(read_codes(pdf))) == 2


def _all_done(order: Order) -> bool:
    return not Job.objects.filter(subject=order.subject, gate="ready").exclude(state="done").exists()
