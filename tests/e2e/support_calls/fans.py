"""Fans, and what had happened to them before they rang: through the pages and services that they meet themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.test import Client

from boxoffice.models import Order, Payment
from inventory.hold_seats import hold_seats
from inventory.models import Show
from jobs.models import Job
from tests.e2e.support_calls.workers import work_off
from tests.fixtures_inventory import seat_ids
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import come_back, pay, press_pay
from tickets.admit import scan
from tickets.door_answer import Door, DoorAnswer
from tickets.models import Ticket
from tickets.qr import sign_ticket


@dataclass(frozen=True)
class House:
    """A show on sale, and the payment provider's stand-in."""

    show: Show
    payments: Payments

    def places_order(self, *seats: str, name: str = "Ada Lovelace", email: str = "ada@example.org") -> Payment:
        """A fan holds the seats in his browser, and presses "Pay"."""
        hold = hold_seats(show_id=self.show.pk, seat_ids=seat_ids(self.show, *seats))
        press_pay(Client(), hold, name=name, email=email)
        return Payment.objects.select_related("order").get(order__hold=hold)

    def sells(self, *seats: str, name: str = "Ada Lovelace", email: str = "ada@example.org") -> Order:
        """A fan chooses these seats, pays by card, and comes back. What jobs do about it is done."""
        order = self.takes_money(*seats, name=name, email=email)
        work_off()
        order.refresh_from_db()
        return order

    def takes_money(self, *seats: str, name: str = "Ada Lovelace", email: str = "ada@example.org") -> Order:
        """The same without any job."""
        payment = self.places_order(*seats, name=name, email=email)
        pay(self.payments, payment)
        come_back(Client(), payment)
        return Order.objects.get(pk=payment.order_id)


def tickets_of(order: Order) -> Sequence[Ticket]:
    """In the order of the seats."""
    return list(Ticket.objects.filter(order_id=order.pk).select_related("seat").order_by("seat__position", "pk"))


def holds_before_the_scanner(ticket: Ticket, *, door: str, user_id: int = 1, by: str = "grace") -> DoorAnswer:
    """Somebody shows the ticket's QR code at that door."""
    payload = sign_ticket(code=ticket.code, show_id=ticket.show_id)
    return scan(text=payload, door=Door(ticket.show_id, door, user_id, by), from_picture=True)


def use_up(task: str) -> Job:
    """Run the newest job of the task until it is given up, each attempt as soon as the one before has failed."""
    job = Job.objects.filter(task=task).latest("pk")
    for _attempt in range(30):
        Job.objects.filter(pk=job.pk, state="waiting").update(
            available_at=job.created_at - timedelta(days=1), gate="ready"
        )
        work_off()
        job.refresh_from_db()
        if job.state == Job.State.DEAD:
            return job
    raise AssertionError(f"{task} is {job.state} after {job.attempts} attempts")
