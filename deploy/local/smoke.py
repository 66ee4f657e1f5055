"""``make smoke``: two tickets, bought like a fan buys them and followed to the QR code at the door.

It fails when a step fails, and when a figure is missed so widely that something must be broken; a figure that is
just missed is printed as such, for a machine may be busy with something else.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from statistics import median

from deploy.local.checkout import Instance
from deploy.local.environment import local_services
from deploy.local.evidence import (
    EvidenceMissing,
    attached_pdf,
    await_delivery,
    ledger_times,
    read_codes,
    verify,
    wait_for_mail,
)
from deploy.local.fan import Fan
from deploy.local.preparation import prepare
from deploy.local.purchase import buy_tickets
from deploy.local.stack import Stack, WayOfMail, running_stack, stack_environment

SEATS = 2
# The first orders meet cold caches in each web process and worker. The figures are for a system that is idle, not
# for one that wakes up: the median of the orders after them.
COLD_ORDERS = 2
IDLE_ORDERS = 3
CONFIRM_MS = 50.0
MAIL_MS = 2000.0
# Beyond this many times the figure something is broken, however busy the machine.
BROKEN = 10


@dataclass(frozen=True)
class Timeline:
    """One order from the hold to the mail, in milliseconds; the last three are counted from the commit.

    confirm: None where the provider's event was faster than the fan.
    """

    hold: float
    place: float
    confirm: float | None
    started: float
    rendered: float
    accepted: float

    def lines(self) -> list[str]:
        return [
            f"  hold                     {self.hold:8.1f} ms  whole request",
            f"  place                    {self.place:8.1f} ms  server time",
            "  confirm                  by the provider's event, before the fan was back"
            if self.confirm is None
            else f"  confirm                  {self.confirm:8.1f} ms  server time",
            f"  commit -> job started    {self.started:8.1f} ms",
            f"  commit -> rendered       {self.rendered:8.1f} ms",
            f"  commit -> mail accepted  {self.accepted:8.1f} ms",
        ]


def run_smoke(*, broker: str, mail: WayOfMail) -> int:
    """Start everything without data on free ports, buy, follow, report. Returns the exit status."""
    system = f"{broker}, mails by {mail}"
    instance = Instance("smoke")
    print(f"Starting everything anew ({system}) and buying; this takes a minute ...", file=sys.stderr, flush=True)
    with local_services(instance=instance, brokers=[broker], fresh=True) as services:
        environment = stack_environment(services, instance=instance, mail=mail)
        prepare(environment)
        log = instance.folder / "processes.log"
        with running_stack(environment, instance=instance, log=log) as stack:
            orders = []
            for buyer in range(COLD_ORDERS + IDLE_ORDERS):
                timeline, codes = order_and_follow(stack, buyer=buyer)
                orders.append(timeline)
            for code in codes:
                verify(code, environment=stack.environment)
    idle = median_of(orders[COLD_ORDERS:])
    print(f"the first order after the start ({system})", *orders[0].lines(), sep="\n")
    print(f"an idle system, median of {IDLE_ORDERS} orders ({system})", *idle.lines(), sep="\n")
    return judge(idle)


def order_and_follow(stack: Stack, *, buyer: int) -> tuple[Timeline, list[str]]:
    """Buy, wait for the mail, read the QR codes in its PDF. Raises LocalError when a step fails."""
    fan, email = Fan(stack.url), f"fan{buyer}.{time.time_ns()}@example.org"
    purchase = buy_tickets(fan, seats=SEATS, name="Ada Løvelace", email=email)
    pdf = attached_pdf(wait_for_mail(stack.mailbox_url, to=email))
    codes = read_codes(pdf)
    if len(set(codes)) != SEATS:
        raise EvidenceMissing(f"The PDF shows {len(set(codes))} different codes, and {SEATS} seats were bought.")
    if fan.follow(fan.get(purchase.document_url)).status != 200:
        raise EvidenceMissing(f"The order's page does not give the tickets: {purchase.document_url}")
    times = ledger_times(purchase.token, environment=stack.environment)
    if stack.mails_are_reported:
        await_delivery(purchase.token, environment=stack.environment)
    return Timeline(
        purchase.hold, purchase.place, purchase.confirm, times.started, times.rendered, times.accepted
    ), codes


def median_of(timelines: Sequence[Timeline]) -> Timeline:
    """The median of each step by itself, of the orders that have it."""
    steps = ([getattr(one, step.name) for one in timelines] for step in fields(Timeline))
    known = ([took for took in step if took is not None] for step in steps)
    return Timeline(*(median(step) if step else None for step in known))  # type: ignore[arg-type]


def judge(timeline: Timeline) -> int:
    """Say of each figure whether it was reached; 1 when one was missed widely."""
    status = 0
    for name, reached, figure in (
        ("confirm", timeline.confirm, CONFIRM_MS),
        ("mail accepted", timeline.accepted, MAIL_MS),
    ):
        if reached is None:
            print(f"not measured: {name}, to reach {figure:.0f} ms")
            continue
        verdict = "ok" if reached <= figure else "MISSED"
        print(f"{verdict}: {name} {reached:.1f} ms, to reach {figure:.0f} ms")
        if reached > figure * BROKEN:
            status = 1
    print("smoke: 2 seats bought, mailed, read and verified" if status == 0 else "smoke: far too slow")
    return status
