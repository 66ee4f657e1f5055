"""From an order that waits to the provider's payment page.

The attempt and its key are committed before the provider hears of it (I4), together with the job that will ask what
became of it: whatever dies after that, nothing is paid that nobody looks for. The call runs in no transaction (I12).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from boxoffice.gather_places import Places, gather_lines
from boxoffice.models import Order, Payment
from boxoffice.payments import provider, transitions
from boxoffice.payments.errors import PaymentRefused, ProviderAway, ShowCalledOff
from boxoffice.payments.look_again import look_before
from boxoffice.payments.minor_units import provider_amount
from boxoffice.payments.provider import Answer
from boxoffice.payments.settle_payment import take_in
from boxoffice.selectors import lines_of_order
from inventory.errors import HoldExpired
from inventory.models import Show
from inventory.venue_time import in_venue_time
from jobs.clock import database_now

SESSION_LASTS = timedelta(hours=1)
"""The provider demands half an hour at least at the moment when it hears of it. A session whose hold has ended is ended
by a job long before; this only leaves room for an attempt to be sent again."""

# Seats are kept for minutes, so only money that comes at once will do; wallets are cards to the provider.
PAYMENT_METHODS = ["card"]
LANGUAGES = {"en", "de"}

# As for whoever confirms. One that is called off while the fan pays is refunded.
_TAKES_PLACE = (Show.Status.SCHEDULED, Show.Status.POSTPONED)


def start_payment(*, order_id: int) -> str:
    """The address at which the fan goes on: the payment page of the order, or its own page once it is settled.

    Pressed twice, or again after a time-out: the same session. After an attempt that has failed or expired: a new
    one; see Note [A key that is spent]. Not inside a transaction.
    Raises HoldExpired, ShowCalledOff, ProviderAway (try again), PaymentRefused and NotChargeable.
    """
    payment = _open_attempt(order_id=order_id)
    if payment is not None and payment.status == Payment.Status.PENDING:
        payment = _as_it_stands(payment)
    if payment is None:
        return _own_page(Order.objects.get(pk=order_id))
    if payment.page_url:
        return payment.page_url
    answer = _opened(payment)
    if answer.state == "spent":
        successor = _open_attempt(order_id=order_id)
        if successor is None:
            return _own_page(payment.order)
        answer = _opened(successor)
    return answer.url or _own_page(payment.order)


def _open_attempt(*, order_id: int) -> Payment | None:
    """The order's open attempt, a new one if there is none. None when the order does not wait any more."""
    with transaction.atomic():
        # By itself: whoever waits for the row with the hold beside it finds none, once money that came late has given
        # the order another hold.
        Order.objects.select_for_update(no_key=True).get(pk=order_id)
        order = Order.objects.select_related("show__venue", "hold").get(pk=order_id)
        if order.status != Order.Status.PENDING_PAYMENT:
            return None
        now = database_now()
        if order.hold.status != "active" or order.hold.expires_at <= now:
            raise HoldExpired
        if order.show.status not in _TAKES_PLACE:
            raise ShowCalledOff
        known = Payment.objects.select_related("order").filter(order=order, status__in=transitions.OPEN).first()
        if known is not None:
            return known
        key = f"payment-{uuid4()}"
        payment = Payment.objects.create(
            order=order,
            amount=order.total,
            currency=order.currency,
            idempotency_key=key,
            request=_request(order, key=key, expires_at=now + SESSION_LASTS),
        )
        look_before(payment_id=payment.pk, order_code=order.code, hold_ends=order.hold.expires_at)
        return payment


def _opened(payment: Payment) -> Answer:
    """What the provider says to the attempt, written down. Raises ProviderAway and PaymentRefused."""
    with provider.in_words():
        answer = provider.create_session(request=payment.request, key=payment.idempotency_key, since=payment.created_at)
    with transaction.atomic():
        take_in(payment_id=payment.pk, answer=answer)
    if answer.state == "refused":
        raise PaymentRefused
    return answer


def _as_it_stands(payment: Payment) -> Payment | None:
    """The attempt if its page is still open, else what comes after it. None when the order does not wait any more."""
    try:
        with provider.in_words():
            answer = provider.retrieve_session(session_id=payment.provider_id)
    except (ProviderAway, PaymentRefused):
        return payment  # the page may be there nevertheless
    if answer.state == "open":
        return payment
    with transaction.atomic():
        take_in(payment_id=payment.pk, answer=answer)
    if answer.state == "processing":
        return None
    return _open_attempt(order_id=payment.order_id)


def _own_page(order: Order) -> str:
    return reverse("order", args=[order.token])


def _request(order: Order, *, key: str, expires_at: datetime) -> dict[str, Any]:
    """What the provider is asked for. Kept with the attempt, since its key must never mean anything else."""
    site = settings.PUBLIC_URL
    with translation.override(order.language):
        items = [_item(order, places) for places in gather_lines(lines_of_order(order_id=order.pk))]
    asked: dict[str, Any] = {
        "mode": "payment",
        "client_reference_id": order.code,
        "line_items": items,
        "payment_method_types": PAYMENT_METHODS,
        "locale": order.language if order.language in LANGUAGES else "auto",
        # The braces are the provider's, who puts the session's id there.
        "success_url": f"{site}{reverse('paid', args=[order.token])}?session={{CHECKOUT_SESSION_ID}}",
        "cancel_url": f"{site}{reverse('checkout', args=[order.hold.token])}?unpaid=1",
        "expires_at": int(expires_at.timestamp()),
        "metadata": {"payment": key, "order": order.code},
        "payment_intent_data": {"metadata": {"payment": key, "order": order.code}},
    }
    # An address beyond ASCII is fine for our mails; the provider would refuse the whole payment for it.
    return asked | ({"customer_email": order.email} if order.email.isascii() else {})


def _item(order: Order, places: Places) -> dict[str, Any]:
    starts = in_venue_time(instant=order.show.starts_at, zone=order.show.venue.zone)
    about = ", ".join(part for part in (order.show.venue.name, starts, places.tier_name) if part)
    name = _("%(show)s: %(seat)s") % {"show": order.show.title, "seat": places.label}
    product = {"name": name[:250], "description": about[:500]}
    price = {
        "currency": places.each.currency.lower(),
        "unit_amount": provider_amount(places.each),
        "product_data": product,
    }
    return {"price_data": price, "quantity": places.count}
