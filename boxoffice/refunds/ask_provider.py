"""What the provider is asked about refunds, and what its answers mean. No transaction may be open (I12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Any

import stripe

from boxoffice.models import Payment, Refund
from boxoffice.payments import provider
from boxoffice.payments.minor_units import provider_amount
from boxoffice.refunds.attempt import Attempt

METADATA_KEY = "refund"
MOST_LISTED = 1_000  # refunds of one payment; nobody gives so many tickets back one by one


class Means(Enum):
    """What an answer means for the attempt."""

    SUCCEEDED = "succeeded"
    PENDING = "pending"
    RETURNED = "returned"
    REFUSED = "refused"
    KEY_SPENT = "key spent"


@dataclass(frozen=True)
class Answer:
    """The provider's word: its id for the refund, and its code and words where it failed or waits for something."""

    means: Means
    provider_id: str = ""
    code: str = ""
    message: str = ""

    @property
    def wants_balance(self) -> bool:
        """Nothing goes out, this one or any other, before our balance at the provider was topped up."""
        return (self.means, self.code) in _WANTS_BALANCE


_WANTS_BALANCE = ((Means.REFUSED, "balance_insufficient"), (Means.PENDING, "insufficient_funds"))


_MEANINGS = {
    "succeeded": Means.SUCCEEDED,
    "pending": Means.PENDING,
    "requires_action": Means.PENDING,
    "failed": Means.RETURNED,
    "canceled": Means.RETURNED,
}


def answer_of(refund: Mapping[str, Any]) -> Answer:
    """What a refund object of the provider says. Raises KeyError for a state that it does not document."""
    reason = refund.get("failure_reason") or refund.get("pending_reason") or ""
    return Answer(_MEANINGS[refund["status"]], provider_id=refund["id"], code=reason)


def ask_for_refund(attempt: Attempt, *, in_turn: Callable[[], AbstractContextManager[None]] = nullcontext) -> Answer:
    """Ask for the money to go back, or learn that it has; see Note [One attempt, one key].

    in_turn: what the call that asks for it waits for, and may raise; looks through the list, which few need, do not.

    Raises what the SDK raises for everything that may still turn out well, and for a key of the account that is wrong.
    """
    refund = attempt.refund
    intent = _intent_of(refund.payment)
    if attempt.key_is_old or refund.replaces_id:
        found = _find(attempt, intent)
        if found is not None:
            return found
    try:
        with in_turn():
            made = provider.client().v1.refunds.create(
                {
                    "payment_intent": intent,
                    "amount": provider_amount(refund.money),
                    "metadata": {METADATA_KEY: str(refund.pk), "order": refund.payment.order.code},
                },
                {"idempotency_key": refund.idempotency_key},
            )
    except (stripe.InvalidRequestError, stripe.CardError) as error:
        if error.code in ("rate_limit", "lock_timeout") or (error.http_status or 0) in (409, 429):
            raise
        return _find(attempt, intent) or Answer(Means.REFUSED, code=error.code or "", message=error.user_message or "")
    except stripe.APIError as error:
        # The provider keeps a 500 under the key: whoever sends the key again hears it again.
        if (error.headers or {}).get("Idempotent-Replayed") != "true":
            raise
        return _find(attempt, intent) or Answer(Means.KEY_SPENT, message=error.user_message or "")
    return answer_of(made.to_dict())


def look_up(refund: Refund) -> Answer:
    """How a refund stands that the provider has taken on."""
    return answer_of(provider.client().v1.refunds.retrieve(refund.provider_id).to_dict())


def _find(attempt: Attempt, intent: str) -> Answer | None:
    """The refund that an attempt of this chain has made after all, unless it came back."""
    listed = provider.client().v1.refunds.list({"payment_intent": intent, "limit": 100}).auto_paging_iter()
    ours = {str(number) for number in attempt.ids}
    for listed_one in islice(listed, MOST_LISTED):
        refund = listed_one.to_dict()
        if (refund["metadata"] or {}).get(METADATA_KEY) not in ours:
            continue
        answer = answer_of(refund)
        if answer.means is not Means.RETURNED:
            return answer
    return None


def _intent_of(payment: Payment) -> str:
    """The money at the provider, which an old payment names by its checkout session only."""
    return payment.intent_id or provider.retrieve_session(session_id=payment.provider_id).intent_id
