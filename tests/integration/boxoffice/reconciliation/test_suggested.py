"""What is suggested about a finding is what can be done about it as things stand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client

from boxoffice.models import Dispute, Finding, Order
from boxoffice.reconciliation.pages.day_words import day_in_words
from jobs.clock import DatabaseNow

pytestmark = pytest.mark.django_db

DAY = datetime(2026, 11, 29, 12, tzinfo=UTC)


@pytest.fixture
def disputed(paid_order: Order) -> Finding:
    """A dispute of which the bank has the money, as a comparison leaves it."""
    payment = paid_order.payments.get()
    Dispute.objects.create(
        payment=payment, provider_id="dp_1", status="needs_response", amount=8_400, currency="EUR", withdrawn=8_400,
        opened_at=DatabaseNow(), asked_at=DatabaseNow(),
    )  # fmt: skip
    return Finding.objects.create(
        kind="dispute", source="dispute:dp_1", day=DAY.date(), told_with=DAY.date(), amount=-8_400, currency="EUR",
        suggestion="write off", there=-8_400, payment=payment, order=paid_order,
    )  # fmt: skip


@pytest.mark.parametrize(("status", "waits"), [("needs_response", True), ("under_review", True), ("lost", False)])
def test_a_dispute_is_suggested_to_be_written_off_once_it_is_lost(
    status: str, waits: bool, staff: Client, disputed: Finding
) -> None:
    Dispute.objects.update(status=status)
    listed = staff.get("/admin/boxoffice/finding/").content.decode()
    assert ("Wait for the bank…" in listed, "Write off…" in listed) == (waits, not waits)
    assert f"· {day_in_words(disputed.day)} ·" in listed
    staff.cookies["django_language"] = "de"
    in_german = staff.get("/admin/boxoffice/finding/").text
    assert ("Auf die Bank warten …" in in_german, "Ausbuchen …" in in_german) == (waits, not waits)
    staff.cookies["django_language"] = "en"
    page = staff.get(f"/admin/boxoffice/finding/{disputed.pk}/change/").content.decode()
    assert ('<span class="chip plain">suggested</span>' in page) is not waits
    assert "/do/write-off/" in page, "it can be done all the same"


def test_what_was_resolved_is_not_said_to_be_unknown_still(staff: Client, paid_order: Order) -> None:
    found = Finding.objects.create(
        kind="only there", source="txn_1", day=DAY.date(), told_with=DAY.date(), amount=8_400, currency="EUR",
        suggestion="attach", there=8_400,
    )  # fmt: skip
    here = f"/admin/boxoffice/finding/{found.pk}/change/"
    assert "We know nothing of it." in staff.get(here).content.decode()
    Finding.objects.update(resolution="attached", resolved_by="anna", resolved_at=DatabaseNow())
    page = staff.get(here).content.decode()
    assert "We know nothing of it." not in page
    assert "We knew nothing of it when it was found." in page
