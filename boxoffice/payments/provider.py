"""The payment provider: the one place that speaks to it and knows its SDK.

Each call is bounded in time and tried once: who tries again, the page or the ledger, does so with the same key. A call
raises the SDK's own errors, which ``jobs.failures`` classes; ``in_words`` makes them ours for a page.

Note [A key that is spent]: the provider keeps its first answer to a key, a fault of its own included, and gives it
again for 24 hours. So a key is sent again only while nobody knows its outcome; a refusal or a kept fault ends the
attempt, and the next one is a new row with a new key.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import islice
from threading import BoundedSemaphore
from typing import Any

import stripe
from django.conf import settings

from boxoffice.payments.errors import ForgedEvent, PaymentRefused, ProviderAway
from boxoffice.payments.told_words import told_word
from jobs.failures.classify import classify
from jobs.failures.retry import FailureClass
from notifications.channels.on_time import on_time_session

CONNECT_SECONDS, READ_SECONDS = 3, 10

MOST_CONNECTIONS = 64
"""That a process keeps open: as many as a worker has threads, at most."""

AT_ONCE = 4
"""Requests of one web process that may wait for the provider, half of its threads: the other half sells and serves
whatever the provider does."""
PATIENCE_SECONDS = 1.0
"""How long one more waits for its turn."""

SIGNATURE_SECONDS = 300
"""The age beyond which a signed event could be a replayed one."""

CLOCKS_DIFFER_BY = timedelta(minutes=5)
"""Ours and the provider's, at most."""

MOST_LISTED = 1_000
"""Sessions that are looked through for one whose making was not answered. Nobody was shown its page, so that no money
depends on finding it; it only spares an attempt."""

_turns = BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class Answer:
    """How a Checkout Session stands.

    state: ``open``, ``paid``, ``processing`` (complete, the money is under way), ``failed`` (complete, and the money
    will not come) or ``expired``; and where there is none, ``refused`` or ``spent`` (see Note [A key that is spent]).
    key: of the attempt that it was made for. amount, currency: as the provider counts. problem: why there is none, for
    staff.
    """

    id: str
    state: str
    url: str
    key: str
    amount: int
    currency: str
    intent_id: str
    problem: str = ""

    @classmethod
    def without_session(cls, state: str, *, problem: str = "") -> Answer:
        """There is no session, and with this key there will be none."""
        return cls("", state, "", "", 0, "", "", problem)


@dataclass(frozen=True)
class ToldEvent:
    """An event whose signature is right. object: what it is about, as the API shows it."""

    id: str
    type: str
    object: dict[str, Any]


def client() -> stripe.StripeClient:
    """The SDK's client, one for each process."""
    return _client(settings.STRIPE_API_KEY, settings.STRIPE_API_BASE)


@cache
def _client(key: str, base: str) -> stripe.StripeClient:
    session = on_time_session(address=base, connections=MOST_CONNECTIONS)
    http = stripe.RequestsClient(timeout=(CONNECT_SECONDS, READ_SECONDS), session=session)
    return stripe.StripeClient(key, base_addresses={"api": base}, max_network_retries=0, http_client=http)


def create_session(*, request: dict[str, Any], key: str, since: datetime) -> Answer:
    """The session of this key: a new one, or the one that it made before; or the word that there will be none.

    since: when the key was drawn. Raises what the SDK raises while the outcome is unknown, and for a wrong API key.
    """
    sent: Any = {**request, "expand": ["payment_intent"]}
    try:
        return _read(client().v1.checkout.sessions.create(sent, {"idempotency_key": key}))
    except (stripe.InvalidRequestError, stripe.CardError) as error:
        if classify(error) is not FailureClass.PERMANENT:
            raise
        return Answer.without_session("refused", problem=str(error))
    except stripe.APIError as error:
        if (error.headers or {}).get("Idempotent-Replayed") != "true":
            raise
        return _find_session(key, since) or Answer.without_session("spent", problem=str(error))


def _find_session(key: str, since: datetime) -> Answer | None:
    """The session that this key has made although its answer was a fault."""
    made_since = {"gte": int((since - CLOCKS_DIFFER_BY).timestamp())}
    asked: Any = {"created": made_since, "limit": 100, "expand": ["data.payment_intent"]}
    listed = client().v1.checkout.sessions.list(asked).auto_paging_iter()
    answers = (_read(session) for session in islice(listed, MOST_LISTED))
    return next((answer for answer in answers if answer.key == key), None)


def retrieve_session(*, session_id: str) -> Answer:
    """How the session stands now."""
    return _read(client().v1.checkout.sessions.retrieve(session_id, {"expand": ["payment_intent"]}))


def expire_session(*, session_id: str) -> Answer:
    """End the session, so that nobody can pay in it, and tell how it stands. One that was paid before stays paid."""
    try:
        return _read(client().v1.checkout.sessions.expire(session_id, {"expand": ["payment_intent"]}))
    except stripe.InvalidRequestError:
        return retrieve_session(session_id=session_id)  # it was not open any more


def read_event(*, body: bytes, signature: str) -> ToldEvent:
    """The event in a webhook's raw body.

    Raises ForgedEvent for one that the provider has not just signed, or that is no event, and MalformedEvent for one
    whose id or type is none.
    """
    try:
        event = stripe.Webhook.construct_event(
            body, signature, settings.STRIPE_WEBHOOK_SECRET, tolerance=SIGNATURE_SECONDS
        )
        told = event.id, event.type, event.data.object.to_dict()
    except (stripe.SignatureVerificationError, ValueError, TypeError, AttributeError, KeyError) as error:
        # The SDK compares signatures by a function that raises TypeError for one with letters beyond ASCII.
        raise ForgedEvent from error
    return ToldEvent(id=told_word(told[0]), type=told_word(told[1]), object=told[2])


@contextmanager
def in_words() -> Iterator[None]:
    """For a page: take a turn at the provider, and say in our words what becomes of it.

    Raises ProviderAway (it may heal; also when too many wait already) and PaymentRefused (it will not).
    """
    if not _turns.acquire(timeout=PATIENCE_SECONDS):
        raise ProviderAway
    try:
        yield
    except stripe.StripeError as error:
        passes = classify(error) in (FailureClass.TRANSIENT, FailureClass.RATE_LIMITED)
        raise (ProviderAway if passes else PaymentRefused) from error
    finally:
        _turns.release()


def _read(session: stripe.checkout.Session) -> Answer:
    intent: Any = session.payment_intent
    status = intent.status if isinstance(intent, stripe.PaymentIntent) else ""
    return Answer(
        id=session.id,
        state=_state(session, intent_status=status),
        url=session.url or "",
        key=str((session.metadata.to_dict() if session.metadata else {}).get("payment", "")),
        amount=session.amount_total or 0,
        currency=(session.currency or "").upper(),
        intent_id=intent.id if isinstance(intent, stripe.PaymentIntent) else str(intent or ""),
    )


def _state(session: stripe.checkout.Session, *, intent_status: str) -> str:
    if session.status != "complete":
        return str(session.status)
    if session.payment_status == "paid":
        return "paid"
    return "processing" if intent_status in ("processing", "requires_action", "succeeded") else "failed"
