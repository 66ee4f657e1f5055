"""How far an order is: the short column of steps that fills in as things happen. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zlib import crc32
from zoneinfo import ZoneInfo

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from boxoffice.models import Order, Refund
from boxoffice.order_page import OrderPage
from inventory.models import Show
from inventory.venue_time import place_of
from notifications.models import Notification
from tickets.models import Ticket

_CONFIRMED = frozenset({Order.Status.CONFIRMED, Order.Status.PARTLY_REFUNDED})
_GOOD = frozenset({Ticket.Status.ISSUED, Ticket.Status.USED})
_UNDELIVERED = frozenset({Notification.Status.FAILED, Notification.Status.BOUNCED, Notification.Status.SUPPRESSED})


@dataclass(frozen=True)
class Step:
    """One step. ``state`` names the mark: ``done``, ``doing``, ``waiting`` or ``trouble``."""

    name: str
    state: str
    words: str
    at: datetime | None = None
    zone: ZoneInfo | None = None

    @property
    def clock(self) -> str:
        """ "14:03:07, Berlin time": to the second, since these steps are seconds apart."""
        if self.at is None or self.zone is None:
            return ""
        moment = self.at.astimezone(self.zone).strftime("%H:%M:%S")
        return _("%(moment)s, %(place)s time") % {"moment": moment, "place": place_of(self.zone)}


@dataclass(frozen=True)
class Progress:
    """All steps under a headline. ``is_confirmed``: the seats are the fan's. ``is_awaited``: a payment may yet come."""

    headline: str
    steps: list[Step]
    is_confirmed: bool
    is_awaited: bool = False

    @property
    def tickets_are_ready(self) -> bool:
        return self.is_confirmed and self.steps[1].state == "done"

    @property
    def is_finished(self) -> bool:
        """Nothing more will change soon. What failed waits for a human, however long that takes."""
        if self.is_awaited:
            return False
        return not self.is_confirmed or any(step.state == "trouble" for step in self.steps) or self._all_done

    @property
    def _all_done(self) -> bool:
        return all(step.state == "done" for step in self.steps)

    @property
    def digest(self) -> str:
        """Differs when the steps do, so that a page which shows them already can be left alone."""
        told = [(step.state, step.words, str(step.at)) for step in self.steps]
        return f"{crc32(repr(told).encode()):08x}"


def progress_of(page: OrderPage) -> Progress:
    """The steps of an order as its page shows them."""
    order = page.order
    is_off = order.show.status == Show.Status.CANCELLED
    if is_off and order.status in _CONFIRMED:
        words = _("Your refund is being planned.") if order.total else _("Nothing was paid, so no money moves.")
        return _called_off(Step(_("Payment"), "doing", words))
    if is_off and order.status == Order.Status.PENDING_PAYMENT and order.total:
        return _called_off(_not_charged(page))
    if order.status in _CONFIRMED and page.disputed:
        return _forfeited(page)
    if order.status in _CONFIRMED:
        zone = order.show.venue.zone
        confirmed = Step(_("Confirmed"), "done", _("The seats are yours."), order.confirmed_at, zone)
        steps = [confirmed, _tickets(page, zone=zone), _mail(page, zone=zone)]
        return Progress(headline=_("Confirmed"), steps=steps, is_confirmed=True)
    if order.status == Order.Status.PENDING_PAYMENT:
        if order.total:
            return _unpaid(page)
        waiting = Step(_("Order"), "waiting", _("It is not confirmed yet, and nothing has been sold to you."))
        return Progress(headline=_("Not confirmed yet"), steps=[waiting], is_confirmed=False)
    if order.total and order.status in (Order.Status.EXPIRED, Order.Status.REFUNDED):
        return _over(page)
    if page.paid_too_late:
        return Progress(headline=capfirst(order.get_status_display()), steps=[_late(page)], is_confirmed=False)
    words = _("It has no tickets any more. Choose seats again if you like.")
    if is_off:
        words = _("It has no tickets any more, since the show is cancelled.")
    ended = Step(_("Order"), "trouble", words)
    return Progress(headline=capfirst(order.get_status_display()), steps=[ended], is_confirmed=False)


def _forfeited(page: OrderPage) -> Progress:
    """The seats are the fan's still, and nobody is let in to them: what to do stands above."""
    if page.disputed == "open":
        payment = Step(_("Payment"), "waiting", _("It is disputed with the bank, which has not decided yet."))
        tickets = Step(_("Tickets"), "trouble", _("Not valid meanwhile."))
    else:
        payment = Step(_("Payment"), "done", _("Your bank has it, since the payment was disputed."))
        tickets = Step(_("Tickets"), "trouble", _("No longer valid."))
    return Progress(headline=_("Payment disputed"), steps=[payment, tickets], is_confirmed=False)


def _unpaid(page: OrderPage) -> Progress:
    waiting = Step(_("Payment"), "waiting", _("It has not arrived yet. Nothing has been sold to you."))
    headline = _("Waiting for your payment")
    return Progress(headline=headline, steps=[waiting], is_confirmed=False, is_awaited=page.payment_is_open)


def _over(page: OrderPage) -> Progress:
    left = [refund for refund in page.refunds if refund.status != Refund.Status.SUCCEEDED]
    if left and all(refund.pk in page.kept_by_bank for refund in left):
        return _ended(page, _kept_by_bank(page), headline=_cancelled())
    if left and all(refund.is_written_off for refund in left):
        words = _("It could not be given back to you. If you still expect it, write to us.")
        return _ended(page, Step(_("Payment"), "trouble", words), headline=_cancelled())
    if left:
        # The order's state is "refunded" as soon as that is decided; the fan has nothing yet.
        ended = Step(_("Payment"), "doing", _("It goes back to you."))
        return _ended(page, ended, headline=_("Cancelled: you get your money back"))
    if page.order.status == Order.Status.REFUNDED:
        # Where the slip below lists the sums, it says how long they take.
        if not page.refunds and page.order.confirmed_at:
            # Its seats were given back without a refund of ours: the bank took the money back, or has it.
            words = _("Your bank has it, since the payment was disputed.")
            return _ended(page, Step(_("Payment"), "done", words), headline=_cancelled())
        by_hand = page.refunds and all(refund.payment.is_by_hand for refund in page.refunds)
        listed = _("It was paid back to you.") if by_hand else _("It has left for your bank.")
        alone = _("It has left for your bank. It takes five to ten days to arrive.")
        ended = Step(_("Payment"), "done", listed if page.refunds else alone)
    elif page.paid_too_late:
        ended = Step(
            _("Payment"), "doing", _("No seats could be sold for it, and it goes back to you. You need do nothing.")
        )
    elif page.order.show.status == Show.Status.CANCELLED:
        return _called_off(_not_charged(page))
    elif page.order.show.status == Show.Status.SCHEDULED:
        ended = Step(_("Payment"), "trouble", _("None came in time, and nothing was charged. Choose seats again."))
    else:
        ended = Step(_("Payment"), "trouble", _("None came in time, and nothing was charged."))
    return _ended(page, ended)


def _kept_by_bank(page: OrderPage) -> Step:
    """Of money that was to go back when its payment was disputed."""
    if "open" in page.kept_by_bank.values():
        return Step(_("Payment"), "waiting", _("It is disputed with the bank, which has not decided yet."))
    return Step(_("Payment"), "done", _("Your bank has it, since the payment was disputed."))


def _called_off(step: Step) -> Progress:
    """Of an order of a cancelled show that says nothing else of its money."""
    return Progress(headline=_("Show cancelled"), steps=[step], is_confirmed=False)


def _not_charged(page: OrderPage) -> Step:
    if page.payment_is_open:
        return Step(_("Payment"), "waiting", _("It has not arrived. If it still does, it goes back to you."))
    return Step(_("Payment"), "done", _("Nothing was charged."))


def _ended(page: OrderPage, step: Step, *, headline: str = "") -> Progress:
    """headline: where the name of the order's state would promise what has not happened."""
    name = headline or capfirst(page.order.get_status_display())
    return Progress(headline=name, steps=[step], is_confirmed=False)


def _cancelled() -> str:
    return capfirst(str(Order.Status.CANCELLED.label))


def _late(page: OrderPage) -> Step:
    """Of money that came when the order was cancelled; the slip says how long it takes."""
    if page.refunds and all(refund.status == Refund.Status.SUCCEEDED for refund in page.refunds):
        return Step(_("Payment"), "done", _("It came after the order was cancelled, and has gone back to you."))
    left = [refund for refund in page.refunds if refund.status != Refund.Status.SUCCEEDED]
    if left and all(refund.pk in page.kept_by_bank for refund in left):
        return _kept_by_bank(page)
    words = _("It came after the order was cancelled, and goes back to you. You need do nothing.")
    return Step(_("Payment"), "doing", words)


def _tickets(page: OrderPage, *, zone: ZoneInfo) -> Step:
    name = _("Tickets")
    if any(ticket.status == Ticket.Status.FAILED for ticket in page.tickets):
        words = _("This takes longer than usual. We are on it: your seats are safe, and you need do nothing.")
        return Step(name, "trouble", words)
    if page.tickets and all(ticket.status in _GOOD for ticket in page.tickets):
        if page.file_is_outdated:
            return Step(name, "doing", _("The file is being issued anew without what was given back, a moment please."))
        at = max((ticket.issued_at for ticket in page.tickets if ticket.issued_at), default=None)
        return Step(name, "done", _("Ready."), at, zone)
    return Step(name, "doing", _("Being issued, a moment please."))


def _mail(page: OrderPage, *, zone: ZoneInfo) -> Step:
    name, mail, email = _("E-mail"), page.mail, page.order.email
    if mail is None and not email:
        return Step(name, "done", _("None: we have no address of yours. Your tickets are on this page."))
    if mail is None:
        return Step(name, "waiting", _("Follows with the tickets."))
    if mail.status in _UNDELIVERED:
        words = _("It could not be delivered to %(email)s. Save the tickets on this page.")
        return Step(name, "trouble", words % {"email": email})
    if mail.sent_at is not None:
        return Step(name, "done", _("Sent to %(email)s.") % {"email": email}, mail.sent_at, zone)
    if page.mail_is_held_up:
        words = _("The mail service does not answer. The mail to %(email)s leaves when it does; your tickets are here.")
        return Step(name, "waiting", words % {"email": email})
    return Step(name, "doing", _("On its way to %(email)s.") % {"email": email})
