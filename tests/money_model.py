"""A box office on which fans, staff, jobs, events and faults do what they can in any order, and what must hold then."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any, TypeVar

import stripe
from django.db.models import Model, QuerySet
from django.test import Client

from boxoffice.changes.cancel_order import cancel_order
from boxoffice.changes.change_hold import extend_hold, release_hold
from boxoffice.changes.move_order import move_order
from boxoffice.changes.pay_out import pay_out
from boxoffice.changes.sell_by_staff import PaidBy, sell_by_staff
from boxoffice.models import Order, Payment, Refund
from boxoffice.payments.settle_payment import settle_payment
from boxoffice.refunds.errors import NotTriedAgain
from boxoffice.refunds.refund_order import refund_order
from boxoffice.refunds.send_refund import send_refund
from boxoffice.refunds.try_again import try_again
from inventory.advance_show import advance_show
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from jobs import transitions
from jobs.clock import database_now
from jobs.dead.replay import replay_job
from jobs.errors import JobsError
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from tests.fixtures_clock import Clock
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import ADA, come_back
from tests.fixtures_refunds import LONG_AGO, WHO_AND_WHY
from tests.money_invariants import kept_at, owed, told_wrongly, violations
from tests.payment_keys import WEBHOOK_SECRET

Row = TypeVar("Row", bound=Model)

BODIES: dict[str, Callable[..., None]] = {
    "boxoffice.settle_payment": settle_payment,
    "boxoffice.send_refund": send_refund,
}
ABOUT_MONEY = (*BODIES, "boxoffice.ask_about_refund")
TO_DO = ("waiting", "published")
KNOBS: tuple[dict[str, Any], ...] = (
    {"fail_next": 1, "fail_executes": False},
    {"fail_next": 1, "fail_executes": True},
    {"fail_next": 2, "fail_executes": True},
    {"lose_answers": 1, "lose_answers_by": "close"},
    {"limit_next": 1},
    {"lose_answers": 1, "lose_answers_by": "close"},
    {"decline_next": 1},
    {"refunds": "refuse"},
    {"refunds": "pending"},
    {"refunds": "fail_later"},
    {"refunds": "succeed"},
)
WELL = {
    "fail_next": 0, "lose_answers": 0, "limit_next": 0, "decline_next": 0, "three_d_secure_next": 0,
    "refunds": "succeed",
}  # fmt: skip


class Killed(BaseException):
    """A process died here."""


class BoxOffice:
    """Its steps are drawn by ``random``; ``trail`` says what was done. ``work`` runs a job as a worker does.

    dies: the next who has heard the provider's answer dies before it is written down; ``deadly`` makes it so.
    """

    def __init__(
        self, *, random: Random, payments: Payments, clock: Clock, shows: list[Show], work: Callable[[int], Outcome]
    ) -> None:
        self.random, self.payments, self.clock, self.shows, self.work = random, payments, clock, shows, work
        self.client = Client()
        self.dies = False
        self.trail: list[str] = []
        self._steps: dict[Callable[[], object], float] = {
            self.hold: 12, self.press_pay: 16, self.pay: 16, self.come_back: 5, self.hear_event: 8,
            self.turn_a_knob: 8, self.run_a_job: 16, self.kill_the_next: 3, self.wait: 7, self.refund: 12,
            self.try_again: 4, self.replay: 3, self.wear_out: 2, self.call_off: 0.4, self.give_up: 1,
            self.cancel: 2, self.move: 10, self.sell_by_staff: 9, self.pay_out: 4, self.release_hold: 1,
            self.extend_hold: 2,
        }  # fmt: skip

    def step(self) -> None:
        """Somebody does something, and nothing is as it must never be."""
        (do,) = self.random.choices(list(self._steps), weights=list(self._steps.values()))
        self._note(do.__name__, do())
        self.check()

    def check(self) -> None:
        for what, found in violations():
            raise AssertionError("\n".join([*self.trail, f"{what}: {found}"]))

    def deadly(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, before which a process may die."""

        def run(*given: Any, **named: Any) -> Any:
            if self.dies:
                self.dies = False
                raise Killed
            return function(*given, **named)

        return run

    def hold(self) -> object:
        show = self.random.choice(self.shows)
        seats = list(Seat.objects.filter(show=show).order_by("position").values_list("pk", flat=True)[:3])
        with suppress(JobsError):
            return hold_seats(show_id=show.pk, seat_ids=self.random.sample(seats, self.random.choice((1, 2, 2)))).pk
        return None

    def press_pay(self) -> object:
        hold = self._one_of(Hold.objects.filter(status="active"))
        if hold is None:
            return None
        with suppress(Killed):
            typed = ADA | {"email": f"fan{hold.pk}@example.org"}
            return hold.pk, self.client.post(f"/holds/{hold.token}/", typed).status_code
        return "dies"

    def pay(self) -> object:
        """On a page that was shown, though its seats may have gone."""
        young = Payment.objects.filter(created_at__gte=database_now() - timedelta(minutes=70))
        payment = self._one_of(young.exclude(page_url=""))
        with suppress(OSError):  # the page is closed
            return payment and self.payments.post("pay", session=payment.provider_id, card="pays", agrees=True)
        return "closed"

    def come_back(self) -> object:
        payment = self._one_of(Payment.objects.exclude(provider_id=""))
        with suppress(Killed):
            return payment and come_back(self.client, payment).status_code
        return "dies"

    def give_up(self) -> object:
        hold = self._one_of(Hold.objects.filter(status="active"))
        return hold and self.client.post(f"/holds/{hold.token}/release/").status_code

    def hear_event(self) -> object:
        """Any that there was: old ones, and the same ones again."""
        with suppress(stripe.StripeError):
            events = self.payments.events()
            return events and self._hear(self.random.choice(events))
        return None

    def turn_a_knob(self) -> object:
        knob = self.random.choice(KNOBS)
        self.payments.turn(**knob)
        return knob

    def run_a_job(self) -> object:
        jobs = Job.objects.filter(task__in=(*ABOUT_MONEY, "inventory.expire_hold"), state__in=TO_DO)
        if self.random.random() < 0.7:
            jobs = jobs.filter(available_at__lte=database_now())
        job = self._one_of(jobs)
        return job and self._run(job)

    def kill_the_next(self) -> None:
        self.dies = True

    def wait(self) -> object:
        return self._pass(timedelta(minutes=self.random.choice((1, 3, 5, 11, 11, 11, 61, 1_400))))

    def refund(self) -> object:
        order = self._one_of(Order.objects.filter(status__in=("confirmed", "partly_refunded")))
        if order is None:
            return None
        lines = list(order.lines.order_by("pk").values_list("pk", flat=True))
        chosen = self.random.sample(lines, self.random.randint(1, len(lines))) if self.random.random() < 0.7 else None
        with suppress(JobsError):
            return order.pk, chosen, refund_order(order_id=order.pk, line_ids=chosen, **WHO_AND_WHY).money
        return order.pk, chosen, "refused"

    def cancel(self) -> object:
        order = self._one_of(Order.objects.all())
        with suppress(JobsError):
            return order and (order.pk, cancel_order(order_id=order.pk, **WHO_AND_WHY).order.status)
        return "not"

    def move(self) -> object:
        """To any seats in front, whoever has them."""
        order = self._one_of(Order.objects.filter(status__in=("confirmed", "partly_refunded")))
        if order is None:
            return None
        lines = list(order.lines.filter(refunded_at=None))
        seats = list(Seat.objects.filter(show=order.show_id).order_by("position").values_list("pk", flat=True)[:6])
        with suppress(JobsError):
            move_order(
                order_id=order.pk,
                line_ids=[line.pk for line in lines],
                from_ids=[line.seat_id for line in lines],
                to_ids=self.random.sample(seats, len(lines)),
                **WHO_AND_WHY,
            )
            return order.pk
        return order.pk, "not"

    def sell_by_staff(self) -> object:
        """Of a hold that may be a fan's, or long over."""
        hold = self._one_of(Hold.objects.filter(status="active")) or self._one_of(Hold.objects.all())
        if hold is None:
            return None
        with suppress(JobsError):
            return sell_by_staff(
                hold_token=hold.token,
                name="Ada",
                email=self.random.choice(("", f"caller{hold.pk}@example.org")),
                language="en",
                channel=Order.Channel.PHONE,
                paid_by=self.random.choice(list(PaidBy)),
                **WHO_AND_WHY,
            ).pk
        return "not"

    def pay_out(self) -> object:
        refund = self._one_of(Refund.objects.filter(status="planned"))
        with suppress(JobsError):
            return refund and pay_out(refund_id=refund.pk, **WHO_AND_WHY).pk
        return "not"

    def release_hold(self) -> object:
        hold = self._one_of(Hold.objects.filter(status="active"))
        with suppress(JobsError):
            return hold and release_hold(hold_id=hold.pk, **WHO_AND_WHY)
        return "not"

    def extend_hold(self) -> object:
        hold = self._one_of(Hold.objects.filter(status="active"))
        with suppress(JobsError):
            return hold and extend_hold(hold_id=hold.pk, minutes=10, seen=hold.expires_at, **WHO_AND_WHY)
        return "not"

    def try_again(self) -> object:
        refund = self._one_of(Refund.objects.filter(status="failed"))
        with suppress(NotTriedAgain):
            return refund and try_again(refund_id=refund.pk, **WHO_AND_WHY).pk
        return "not"

    def replay(self) -> object:
        job = self._one_of(Job.objects.filter(task__in=ABOUT_MONEY, state="dead"))
        with suppress(NotTriedAgain):
            return job and replay_job(job_id=job.pk, generation=job.generation, **WHO_AND_WHY)
        return "not"

    def wear_out(self) -> int:
        """What has failed before fails for the last time."""
        return Job.objects.filter(task__in=ABOUT_MONEY, state="waiting", attempts__gt=0).update(attempts=19)

    def call_off(self) -> object:
        show = self.random.choice(self.shows)
        with suppress(JobsError):
            advance_show(show_id=show.pk, to=Show.Status.CANCELLED)
        return show.pk

    def come_to_rest(self) -> None:
        """The provider is well again, all events are heard, and what waits or has failed is done in the end."""
        self.dies = False
        self.payments.turn(**WELL)
        left = Job.objects.filter(task__in=ABOUT_MONEY, state__in=TO_DO)
        for _round in range(12):
            self._pass(timedelta(hours=7))
            for job in Job.objects.filter(task__in=ABOUT_MONEY, state="dead").order_by("pk"):
                with suppress(NotTriedAgain):
                    replay_job(job_id=job.pk, generation=job.generation, **WHO_AND_WHY)
            for job in left.order_by("available_at"):
                self._note("rest", self._run(job))
            for event in self.payments.events():
                self._hear(event)
            for refund in Refund.objects.filter(status="planned").exclude(payment__method="online").order_by("pk"):
                pay_out(refund_id=refund.pk, **WHO_AND_WHY)
            failed = list(Refund.objects.filter(status="failed", replaced_by=None).order_by("pk"))
            for refund in failed:
                try_again(refund_id=refund.pk, **WHO_AND_WHY)
            if not failed and not left.exists():
                break
        self.check()
        assert not Payment.objects.filter(status__in=("created", "pending")).exists(), "\n".join(self.trail)
        assert not Refund.objects.filter(status__in=("planned", "pending")).exists(), "\n".join(self.trail)

    def check_the_books(self) -> None:
        """See ``money_invariants``."""
        assert +kept_at(self.payments) == +owed(), "\n".join(self.trail)
        assert not told_wrongly(), "\n".join(self.trail)

    def _run(self, job: Job) -> object:
        if self.dies and job.task in BODIES:
            try:
                BODIES[job.task](**job.args)
            except Killed:
                return job.task, job.args, "dies"
            except stripe.StripeError as error:
                return job.task, job.args, error
        Job.objects.filter(pk=job.pk, state="waiting").update(available_at=LONG_AGO, gate="ready")
        engine_session("default")
        transitions.mark_due(using="default", queue=job.queue, window=50, batch=50)
        self.work(job.pk)
        job.refresh_from_db()
        return job.task, job.args, job.state, job.reason

    def _hear(self, event: stripe.Event) -> str:
        body, at = json.dumps(event.to_dict()).encode(), int(time.time())
        signed = stripe.WebhookSignature._compute_signature(f"{at}.{body.decode()}", WEBHOOK_SECRET)
        headers = {"Stripe-Signature": f"t={at},v1={signed}"}
        answer = self.client.post("/webhooks/stripe/", body, content_type="application/json", headers=headers)
        assert answer.status_code == 204
        return event.type

    def _pass(self, by: timedelta) -> timedelta:
        self.clock.advance(by)
        self.payments.turn(clock_offset_s=int(self.clock.seconds))
        return by

    def _one_of(self, rows: QuerySet[Row]) -> Row | None:
        found = list(rows.order_by("pk"))
        return self.random.choice(found) if found else None

    def _note(self, name: str, what: object) -> None:
        self.trail.append(f"{name}: {what}")
