"""A day of payments here, and what the payment provider's report says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from itertools import count
from typing import Any

import pytest

from boxoffice.confirm_order import confirm_order
from boxoffice.models import BalanceTransaction, Finding, OrderLine, Payment, Reconciliation, Refund
from boxoffice.models.order import Order
from boxoffice.reconciliation.read_day import Day, read_day
from boxoffice.reconciliation.reconcile_report import reconcile_report
from inventory.models import Hold
from tests.fixtures_boxoffice import place
from tests.fixtures_clock import Clock

DAY = date(2026, 11, 29)
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
NIGHT_AFTER = datetime(2026, 11, 30, 3, 40, tzinfo=UTC)

COLUMNS = (
    "balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,"
    "description,charge_id,payment_intent_id,payment_metadata[payment],payment_metadata[order],refund_metadata[refund]"
)


@dataclass
class Books:
    """Payments and refunds as rows, and the report that tells of them."""

    make_hold: Callable[..., Hold]
    lines: list[str] = field(default_factory=list)
    numbers: count[int] = field(default_factory=lambda: count(1))

    def sold(self, amount: int = 8_400, *, at: datetime = NOON, currency: str = "EUR", **payment: Any) -> Payment:
        """An order of one seat, paid online."""
        number = next(self.numbers)
        order = confirm_order(order_id=place(self.make_hold(seats=1, currency=currency)).pk)
        OrderLine.objects.filter(order=order).update(price=amount)
        Order.objects.filter(pk=order.pk).update(total=amount)
        return self.paid(order, amount, at=at, currency=currency, number=number, **payment)

    def paid(
        self,
        order: Order,
        amount: int = 8_400,
        *,
        at: datetime = NOON,
        currency: str = "EUR",
        number: int | None = None,
        **payment: Any,
    ) -> Payment:
        """One more payment of an order."""
        number = number or next(self.numbers)
        values = {"status": "succeeded", "settled_at": at, "intent_id": f"pi_{number}", "provider_id": f"cs_{number}"}
        if payment.get("method", "online") != "online":
            values |= {"intent_id": "", "provider_id": ""}
        return Payment.objects.create(
            order=order, amount=amount, currency=currency, idempotency_key=f"key-{number}", **(values | payment)
        )

    def gave_back(self, payment: Payment, amount: int | None = None, *, at: datetime = NOON, **refund: Any) -> Refund:
        """A refund that has succeeded."""
        number = next(self.numbers)
        values = {"status": "succeeded", "settled_at": at, "provider_id": f"re_{number}"}
        return Refund.objects.create(
            payment=payment,
            amount=payment.amount if amount is None else amount,
            currency=payment.currency,
            idempotency_key=f"refund-{number}",
            **(values | refund),
        )

    def tell_charge(self, payment: Payment | None, gross: str = "84.00", fee: str = "1.51", **told: Any) -> str:
        """The report's line about a payment; about money that is none of ours where None."""
        number = next(self.numbers)
        about = {"source_id": f"ch_{number}", "charge_id": f"ch_{number}", "payment_intent_id": f"pi_none_{number}"}
        if payment is not None:
            about["payment_intent_id"] = payment.intent_id
            about["payment_metadata[payment]"] = payment.idempotency_key
        return self.tell("charge", gross, fee, **(about | told))

    def tell_refund(self, refund: Refund | None, gross: str = "-84.00", **told: Any) -> str:
        number = next(self.numbers)
        about = {"source_id": f"re_none_{number}", "payment_intent_id": f"pi_none_{number}"}
        if refund is not None:
            about = {"source_id": refund.provider_id, "payment_intent_id": refund.payment.intent_id}
        return self.tell("refund", gross, "0.00", **(about | told))

    def tell(self, category: str, gross: str, fee: str = "0.00", *, at: datetime = NOON, **told: Any) -> str:
        """One more line; returns the transaction's id."""
        cells = {
            "balance_transaction_id": f"txn_{next(self.numbers)}",
            "created_utc": f"{at:%Y-%m-%d %H:%M:%S}",
            "available_on_utc": f"{at + timedelta(days=2):%Y-%m-%d %H:%M:%S}",
            "currency": "eur",
            "gross": gross,
            "fee": fee,
            "net": _less(gross, fee),
            "reporting_category": category,
        } | told
        self.lines.append(",".join(cells.get(name, "") for name in COLUMNS.split(",")))
        return str(cells["balance_transaction_id"])

    def report(self) -> bytes:
        return "".join(f"{line}\n" for line in (COLUMNS, *self.lines)).encode()

    def reconcile(self, day: date | None = DAY, report: bytes | None = None) -> Day:
        """Take the report in, and return the result of the day."""
        reconcile_report(report=BytesIO(self.report() if report is None else report), first=day)
        found = read_day(day=day or DAY)
        assert found is not None
        assert found.ties, found
        return found


def _less(gross: str, fee: str) -> str:
    places = len(gross.partition(".")[2])
    units = int(gross.replace(".", "")) - int(fee.replace(".", ""))
    whole, part = divmod(abs(units), 10**places)
    return f"{'-' if units < 0 else ''}{whole}" + (f".{part:0{places}}" if places else "")


@pytest.fixture
def books(make_hold: Callable[..., Hold], clock: Clock) -> Books:
    """Nothing sold yet; it is the night after DAY, and will not become later by itself."""
    clock.stand_still(at=NIGHT_AFTER)
    return Books(make_hold)


def found_kinds() -> list[tuple[str, str, int, str]]:
    """Kind, source, amount and suggestion of each open finding."""
    rows = Finding.objects.filter(resolution="").order_by("kind", "source")
    return list(rows.values_list("kind", "source", "amount", "suggestion"))


def everything_written() -> list[Any]:
    """All that reconciling has written, but for when."""
    told = [name.attname for name in BalanceTransaction._meta.fields if name.name not in ("id", "read_at")]
    found = [name.attname for name in Finding._meta.fields if name.name not in ("id", "found_at", "resolved_at")]
    days = ["day", "state", "transactions", "matched", "in_flight", "findings", "sums", "read_from", "read_until"]
    return [
        sorted(BalanceTransaction.objects.values_list(*told), key=str),
        sorted(Finding.objects.values_list(*found), key=str),
        sorted(Reconciliation.objects.values_list(*days), key=str),
    ]
