"""The itemized balance report of a day, as one downloads it from Stripe's pages (docs.stripe.com, "Balance report").

Amounts are decimal and in major units, instants in UTC; what is metadata has a column for each of its keys.
"""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from sandbox.stripe.currencies import decimals
from sandbox.stripe.settle import catch_up
from sandbox.stripe.stand_in import StandIn, the_stand_in
from sandbox.stripe.state import Body

COLUMNS = (
    "balance_transaction_id",
    "created_utc",
    "created",
    "available_on_utc",
    "available_on",
    "currency",
    "gross",
    "fee",
    "net",
    "reporting_category",
    "source_id",
    "description",
    "customer_facing_amount",
    "customer_facing_currency",
    "automatic_payout_id",
    "charge_id",
    "payment_intent_id",
    "customer_email",
    "customer_name",
    "payment_metadata[payment]",
    "payment_metadata[order]",
    "refund_metadata[refund]",
    "refund_metadata[order]",
)

# Of one day, the oldest first. By objects_of_a_kind.
OF_A_DAY = """
    SELECT body FROM objects WHERE kind = 'balance_transaction' AND created >= ? AND created < ? ORDER BY created, seq
"""


@require_GET
def report(request: HttpRequest) -> HttpResponse:
    """The CSV of ``?day=YYYY-MM-DD``, UTC; of today where none is named."""
    stand_in = the_stand_in()
    catch_up(stand_in)
    try:
        asked = request.GET.get("day") or f"{datetime.fromtimestamp(stand_in.now(), UTC):%Y-%m-%d}"
        day = date.fromisoformat(asked)
    except ValueError:
        return HttpResponse("A day is written as 2026-11-30.\n", status=400, content_type="text/plain")
    name = f"Itemized_balance_change_from_activity_{day}.csv"
    return HttpResponse(
        balance_report(stand_in, day=day),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def balance_report(stand_in: StandIn, *, day: date) -> str:
    """The report of a day of UTC."""
    begins = datetime.combine(day, time(), UTC)
    bounds = int(begins.timestamp()), int((begins + timedelta(days=1)).timestamp())
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in stand_in.state.rows(OF_A_DAY, bounds):
        cells = _cells(stand_in, json.loads(row["body"]))
        writer.writerow([cells.get(name, "") for name in COLUMNS])
    return out.getvalue()


def _cells(stand_in: StandIn, money: Body) -> dict[str, Any]:
    currency = money["currency"]
    cells = {
        "balance_transaction_id": money["id"],
        "created_utc": _instant(money["created"]),
        "created": _instant(money["created"]),
        "available_on_utc": _instant(money["available_on"]),
        "available_on": _instant(money["available_on"]),
        "currency": currency,
        "gross": _major(money["amount"], currency),
        "fee": _major(money["fee"], currency),
        "net": _major(money["net"], currency),
        "reporting_category": money["reporting_category"],
        "source_id": money["source"],
        "description": money["description"] or "",
        "automatic_payout_id": money.get("_payout") or "",
    }
    kinds = ("charge", "refund", "dispute")
    source = next((found for kind in kinds if (found := stand_in.state.find(kind, money["source"]))), None)
    if source is None:
        return cells
    charge = source if source["object"] == "charge" else stand_in.state.find("charge", source["charge"]) or {}
    cells |= {
        "customer_facing_amount": _major(money["amount"], currency),
        "customer_facing_currency": currency,
        "charge_id": charge.get("id", ""),
        "payment_intent_id": source["payment_intent"] or "",
        "customer_email": (charge.get("billing_details") or {}).get("email") or "",
        "customer_name": (charge.get("billing_details") or {}).get("name") or "",
    }
    cells |= {f"payment_metadata[{key}]": value for key, value in charge.get("metadata", {}).items()}
    if source["object"] == "refund":
        cells |= {f"refund_metadata[{key}]": value for key, value in source["metadata"].items()}
    return cells


def _instant(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"


def _major(amount: int, currency: str) -> str:
    places = decimals(currency)
    digits = f"{abs(amount):0{places + 1}}"
    part = f".{digits[-places:]}" if places else ""
    return f"{'-' if amount < 0 else ''}{digits[: len(digits) - places]}{part}"
