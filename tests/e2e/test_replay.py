"""A fan whose tickets could not be made, and staff who mend it: from "we are on it" to the code and the mail."""

from __future__ import annotations

import mailbox
import re
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import expect

from boxoffice.models import Order
from jobs.models import StaffAction
from tests.fixtures_boxoffice import jobs_about_orders
from tests.fixtures_storefront import Site, Visiting
from tests.ledger import wait_for_state
from tests.processes import wait_for
from tickets.models import Ticket

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def broken_storage(tmp_path: Path) -> Path:
    """Where the site keeps its ticket files there is a file instead of a folder. Take it away to mend that."""
    obstacle = tmp_path / "media"
    obstacle.write_text("in the way")
    return obstacle


def test_a_fan_reads_we_are_on_it_and_has_the_tickets_after_staff_replayed_the_job(
    confirmed_order: Order, broken_storage: Path, site: Site, visiting: Visiting
) -> None:
    job = wait_for_state(jobs_about_orders().get().pk, "dead")
    assert set(Ticket.objects.values_list("status", flat=True)) == {"failed"}
    get_user_model().objects.create_superuser("operator", password="a long pass phrase")

    with visiting() as visit:
        fan = visit.page
        fan.goto(f"{site.address}/orders/{confirmed_order.token}/")
        expect(fan.get_by_text("We are on it: your seats are safe, and you need do nothing.")).to_be_visible()

        staff = visit.context.new_page()
        staff.goto(f"{site.address}/admin/jobs/deadjob/")
        staff.get_by_label("Username").fill("operator")
        staff.get_by_label("Password").fill("a long pass phrase")
        staff.get_by_role("button", name="Log in").click()
        staff.get_by_role("table").get_by_role("link", name="tickets.issue_tickets").click()
        broken_storage.unlink()
        staff.get_by_role("link", name="Replay…").click()
        expect(staff.get_by_role("heading", name="Replay 1 dead job?")).to_be_visible()
        staff.get_by_label("Reason").fill("the folder is back")
        staff.get_by_role("button", name="Replay").click()
        expect(staff.get_by_text("1 job was replayed.")).to_be_visible()
        expect(staff.get_by_text("No dead jobs.")).to_be_visible()

        fan.reload()  # once; from then on the page looks by itself
        expect(fan.get_by_role("img", name=re.compile("QR code of ticket"))).to_have_count(2, timeout=20_000)
        expect(fan.get_by_text("Sent to ada@example.org.")).to_be_visible(timeout=20_000)
        assert visit.complaints == []

    assert set(Ticket.objects.values_list("status", flat=True)) == {"issued"}
    wait_for_state(job.pk, "done")
    wait_for(lambda: len(mailbox.Maildir(site.maildir)) == 1, what="the mail is there")
    assert StaffAction.objects.values_list("job_id", "by", "reason").get() == (job.pk, "operator", "the folder is back")
