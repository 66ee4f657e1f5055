"""The stand-in's balance report, and that it tells what its API tells."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from boxoffice.reconciliation.ask_provider import read_transaction
from boxoffice.reconciliation.read_report import read_report
from tests.fixtures_payments import Payments


def report_of(payments: Payments, *, day: str) -> bytes:
    with urlopen(f"{payments.address}/report.csv?day={day}", timeout=10) as answer:
        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
        return bytes(answer.read())


def test_the_report_of_a_day_has_all_of_its_balance_transactions_in_major_units(payments: Payments) -> None:
    session = payments.paid_session()
    kuwait = {"currency": "kwd", "unit_amount": 12_340, "product_data": {"name": "Seat"}}
    payments.paid_session(line_items=[{"price_data": kuwait, "quantity": 1}])
    payments.client().v1.refunds.create(
        {"payment_intent": str(session.payment_intent), "amount": 4_200, "metadata": {"refund": "7"}}
    )
    listed = payments.client().v1.balance_transactions.list({"limit": 3, "expand": ["data.source"]}).data
    day = datetime.fromtimestamp(listed[-1].created, UTC).date()
    rows = list(csv.DictReader(io.StringIO(report_of(payments, day=f"{day}").decode())))
    assert [(row["currency"], row["gross"], row["fee"], row["net"]) for row in rows] == [
        ("eur", "84.00", "1.51", "82.49"),
        ("kwd", "12.340", "0.435", "11.905"),
        ("eur", "-42.00", "0.00", "-42.00"),
    ]
    assert (rows[0]["payment_intent_id"], rows[2]["refund_metadata[refund]"]) == (session.payment_intent, "7")
    assert rows[0]["payment_metadata[order]"] == "1"


def test_the_report_and_the_api_tell_the_same(payments: Payments) -> None:
    session = payments.paid_session("disputed")
    payments.client().v1.refunds.create({"payment_intent": str(payments.paid_session().payment_intent)})
    listed = payments.client().v1.balance_transactions.list({"limit": 9, "expand": ["data.source"]}).data
    day = datetime.fromtimestamp(listed[-1].created, UTC).date()
    by_report = [told._replace(line=0) for told in read_report(io.BytesIO(report_of(payments, day=f"{day}")))]
    # The report has the payment's metadata beside whatever is about it.
    blank = {"payment_key": "", "order_code": ""}
    by_api = [read_transaction(one.to_dict()) for one in listed]
    assert [told._replace(**blank) for told in by_report] == [told._replace(**blank) for told in by_api][::-1]
    assert {told.intent_id for told in by_report if told.category == "dispute"} == {session.payment_intent}


def test_another_day_has_none_and_what_is_no_day_is_refused(payments: Payments) -> None:
    payments.paid_session()
    assert report_of(payments, day="2020-01-01").count(b"\n") == 1
    with pytest.raises(HTTPError, match="400"):
        report_of(payments, day="tomorrow")
