"""Every kind of mail with sample data, for staff to look at: the same words and templates as those that are sent.

Nothing is read from the database and nothing written: the rows exist in memory only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from boxoffice.messages import (
    CAN_BE_ENDED,
    day_reconciled,
    export_ready,
    my_orders,
    paid_too_late,
    refund_done,
    reminder,
    sale_opened,
    show_cancelled,
    show_goes_on,
    show_moved,
    show_postponed,
    tickets_disputed,
    tickets_late,
    tickets_ready,
)
from boxoffice.messages.base import Draft
from boxoffice.messages.calendar_file import calendar_file
from boxoffice.messages.show_times import day_in_words
from boxoffice.models import Export, Finding, Order, OrderLine, Payment, Reconciliation
from boxoffice.reconciliation.read_day import PARTS, CurrencySums, Day, Part
from inventory.models import Seat, Show, Venue
from inventory.money import Money
from notifications.content import Attachment
from tickets.models import Ticket

STARTS = datetime(2032, 12, 11, 18, 30, tzinfo=UTC)
MONEY_BACK_UNTIL = STARTS - timedelta(days=14)
TOKEN = "sample-order-page-that-opens-nothing"  # noqa: S105
_EUR_84 = Money(8400, "EUR")
CODE = "7KQ2MXW4"
RECIPIENT = "ada@example.org"


@dataclass(frozen=True)
class Sample:
    """One mail to look at. case: what is special about it, for a kind with several. draft: makes it, in the active
    language.
    """

    kind: str
    case: str | Promise
    draft: Callable[[], Draft]

    @property
    def can_be_ended(self) -> bool:
        return self.kind in CAN_BE_ENDED


def samples() -> Sequence[Sample]:
    """Every kind, in each of the forms that it can take."""
    ready, late, remind = tickets_ready.KIND, tickets_late.KIND, reminder.KIND
    refund, too_late = refund_done.KIND, paid_too_late.KIND
    return (
        Sample(ready, _("two seats"), lambda: _tickets_ready(sample_order())),
        Sample(ready, _("one seat, and a name from right to left"), lambda: _tickets_ready(_foreign_order())),
        Sample(ready, _("moved to other seats"), lambda: _tickets_ready(sample_order(), moved=True)),
        Sample(
            late,
            _("two seats"),
            lambda: tickets_late.worded(order=sample_order(), tickets=_tickets(sample_order(), "pending")),
        ),
        Sample(
            late,
            _("one seat"),
            lambda: tickets_late.worded(order=sample_order(), tickets=_tickets(sample_order(), "failed")[:1]),
        ),
        Sample(remind, _("two seats, tickets mailed"), lambda: _reminder(seats=2, mailed=True)),
        Sample(remind, _("one seat"), lambda: _reminder(seats=1, mailed=False)),
        Sample(my_orders.KIND, _("one order"), lambda: my_orders.worded(orders=[sample_order()])),
        Sample(my_orders.KIND, _("two orders"), lambda: my_orders.worded(orders=[sample_order(), _foreign_order()])),
        Sample(sale_opened.KIND, "", lambda: sale_opened.worded(show=_show(), alert_token=TOKEN)),
        Sample(show_moved.KIND, _("two seats"), lambda: _show_moved(seats=2)),
        Sample(show_moved.KIND, _("one seat"), lambda: _show_moved(seats=1)),
        Sample(show_moved.KIND, _("postponed before, money back on request"), lambda: _show_moved(seats=2, back=True)),
        Sample(show_postponed.KIND, _("two seats"), lambda: _show_postponed(seats=2, back=False)),
        Sample(show_postponed.KIND, _("one seat, money back on request"), lambda: _show_postponed(seats=1, back=True)),
        Sample(show_goes_on.KIND, _("two seats"), lambda: _show_goes_on(seats=2)),
        Sample(show_cancelled.KIND, _("money back"), lambda: _show_cancelled(online=_EUR_84)),
        Sample(show_cancelled.KIND, _("paid at the counter"), lambda: _show_cancelled(by_hand=_EUR_84)),
        Sample(show_cancelled.KIND, _("seats that cost nothing"), lambda: _show_cancelled(total=0)),
        Sample(show_cancelled.KIND, _("disputed with the bank"), lambda: _show_cancelled(disputed=True)),
        Sample(tickets_disputed.KIND, _("the dispute is lost"), lambda: _tickets_disputed(seats=2)),
        Sample(tickets_disputed.KIND, _("the bank has not decided"), lambda: _tickets_disputed(seats=1, is_open=True)),
        Sample(tickets_disputed.KIND, _("valid again"), lambda: _tickets_disputed(seats=2, is_void=False)),
        Sample(refund, _("money back"), lambda: _refund_done(seats=2, free=False)),
        Sample(refund, _("seats that cost nothing"), lambda: _refund_done(seats=1, free=True)),
        Sample(refund, _("paid out by hand"), lambda: _refund_done(seats=2, free=False, by_hand=True)),
        Sample(export_ready.KIND, "", lambda: export_ready.worded(export=_export())),
        Sample(day_reconciled.KIND, _("all matched"), lambda: _day_reconciled(findings=0)),
        Sample(day_reconciled.KIND, _("two findings"), lambda: _day_reconciled(findings=2)),
        Sample(too_late, _("the order is cancelled"), lambda: _paid_too_late(Order.Status.CANCELLED)),
        Sample(too_late, _("the seats were gone"), lambda: _paid_too_late(Order.Status.EXPIRED)),
        Sample(too_late, _("paid twice"), lambda: _paid_too_late(Order.Status.CONFIRMED)),
        Sample(too_late, _("another sum"), lambda: _paid_too_late(Order.Status.EXPIRED, problem="amount")),
        Sample(too_late, _("the show is cancelled"), lambda: _paid_too_late(Order.Status.EXPIRED, show="cancelled")),
    )


def sample(*, number: int) -> Sample | None:
    """One of them, by its place; None for a number that there is none of."""
    all_of_them = samples()
    return all_of_them[number] if 0 <= number < len(all_of_them) else None


def _show(status: str = Show.Status.SCHEDULED) -> Show:
    venue = Venue(
        pk=1,
        name="Kammertheater am Ufer",
        city="Berlin",
        address="Schöneberger Ufer 12\n10785 Berlin",
        time_zone="Europe/Berlin",
    )
    return Show(
        pk=1,
        venue=venue,
        title="Der Sturm",
        subtitle="The Tempest, by William Shakespeare",
        slug="der-sturm",
        starts_at=STARTS,
        doors_at=STARTS - timedelta(minutes=30),
        on_sale_at=STARTS - timedelta(days=60),
        status=status,
        currency="EUR",
    )


def sample_order(*, status: str = Order.Status.CONFIRMED, show: str = Show.Status.SCHEDULED, **given: str) -> Order:
    """An order of two seats. show: the status of its show. given: other values of its columns."""
    confirmed = status == Order.Status.CONFIRMED
    return Order(
        pk=1,
        code=CODE,
        token=TOKEN,
        show=_show(show),
        email=RECIPIENT,
        status=status,
        total=8400,
        currency="EUR",
        placed_at=STARTS - timedelta(days=40),
        confirmed_at=STARTS - timedelta(days=40) if confirmed else None,
        **{"name": "Ada Lovelace", **given},
    )


def _foreign_order() -> Order:
    order = sample_order(name="سارة بنت عبد الله")
    order.show.title, order.show.subtitle = "ليالي الشتاء", "A concert of songs from Aleppo to Granada"
    return order


def _export() -> Export:
    return Export(pk=1, kind=Export.Kind.TAKINGS, by="anna", rows_done=1208)


def _day_reconciled(*, findings: int) -> Draft:
    told = dict.fromkeys(PARTS, (0, 0)) | {"there": (212, 1_781_400), "here": (212, 1_781_400)}
    told |= dict.fromkeys(("matched", "matched_here"), (212 - findings, 1_781_400 - 8_400 * findings))
    if findings:
        told |= {"findings_there": (findings, 8_400 * findings), "findings_here": (findings, 8_400 * findings)}
    sums = {name: Part(*each) for name, each in told.items()}
    euros = CurrencySums("EUR", **sums, fees=26_721, net=1_754_679, categories={}, fee_is_judged=True)
    row = Reconciliation(day=STARTS.date(), state="done", transactions=212, matched=212 - findings, findings=findings)
    kinds = [Finding.Kind.PAID_TWICE, Finding.Kind.ONLY_THERE][:findings]
    found = [Finding(pk=number, kind=kind, amount=8_400, currency="EUR") for number, kind in enumerate(kinds, 1)]
    return day_reconciled.worded(result=Day(row, [euros]), findings=found, open_in_all=findings)


def _seats() -> list[Seat]:
    return [Seat(pk=number, zone="Stalls", row="C", number=str(number)) for number in (12, 13)]


def _lines(order: Order, *, price: int = 4200) -> list[OrderLine]:
    return [OrderLine(order=order, seat=seat, tier_name="Front", price=price) for seat in _seats()]


def _tickets(order: Order, status: str) -> list[Ticket]:
    return [Ticket(order_id=order.pk, seat=seat, status=status) for seat in _seats()]


def _tickets_ready(order: Order, *, moved: bool = False) -> Draft:
    lines = _lines(order)[: 1 if order.name != "Ada Lovelace" else 2]
    file = Attachment(name=f"tickets-{CODE}.pdf", content_type="application/pdf", content=b"")
    files = (file, calendar_file(order=order))
    return tickets_ready.worded(order=order, lines=lines, attachments=files, moved=moved)


def _reminder(*, seats: int, mailed: bool) -> Draft:
    order = sample_order()
    day = day_in_words(STARTS - timedelta(days=40)) if mailed else ""
    return reminder.worded(order=order, tickets=_tickets(order, "issued")[:seats], tickets_mailed=day)


def _show_moved(*, seats: int, back: bool = False) -> Draft:
    order = sample_order()
    return show_moved.worded(
        order=order,
        tickets=_tickets(order, "issued")[:seats],
        was=STARTS - timedelta(days=7),
        was_postponed=back,
        money_back=MONEY_BACK_UNTIL if back else None,
    )


def _show_postponed(*, seats: int, back: bool) -> Draft:
    order = sample_order(show=Show.Status.POSTPONED)
    tickets = _tickets(order, "issued")[:seats]
    return show_postponed.worded(order=order, tickets=tickets, money_back=MONEY_BACK_UNTIL if back else None)


def _show_goes_on(*, seats: int) -> Draft:
    order = sample_order()
    return show_goes_on.worded(order=order, tickets=_tickets(order, "issued")[:seats])


def _show_cancelled(*, total: int = 8400, **given: Any) -> Draft:
    order = sample_order(status=Order.Status.REFUNDED, show=Show.Status.CANCELLED)
    order.total = total
    return show_cancelled.worded(order=order, count=2, back=show_cancelled.Back(**given))


def _tickets_disputed(*, seats: int, is_void: bool = True, is_open: bool = False) -> Draft:
    order = sample_order()
    tickets = _tickets(order, "void" if is_void else "issued")[:seats]
    return tickets_disputed.worded(order=order, tickets=tickets, is_void=is_void, is_open=is_open)


def _refund_done(*, seats: int, free: bool, by_hand: bool = False) -> Draft:
    order = sample_order()
    lines = _lines(order, price=0 if free else 4200)[:seats]
    money = None if free else Money.sum((line.money for line in lines), currency="EUR")
    return refund_done.worded(order=order, money=money, lines=lines, by_hand=by_hand)


def _paid_too_late(status: str, *, show: str = Show.Status.SCHEDULED, problem: str = "") -> Draft:
    order = sample_order(status=status, show=show)
    return paid_too_late.worded(order=order, payment=Payment(order=order, amount=8400, currency="EUR", problem=problem))
