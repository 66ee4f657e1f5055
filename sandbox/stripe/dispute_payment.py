"""The owner of a card disputes a payment, and what becomes of it (docs.stripe.com, "How disputes work").

    warning_needs_response ─▶ warning_under_review ─▶ warning_closed      an inquiry: nothing is taken
              └────────────────────────┴─▶ needs_response ─▶ under_review ─▶ won | lost

The bank's word comes by hand: a button on the stand-in's page, or ``/sandbox/stripe/dispute``. A lost one may still be
won, as after an appeal. With the dispute goes the money: taken when it opens, put back when it is won; the fee for it
stays, as Stripe keeps it since June 2025.
"""

from __future__ import annotations

from sandbox.stripe.events import emit
from sandbox.stripe.money_objects import DISPUTE_FEE, balance_transaction_object, dispute_object
from sandbox.stripe.stand_in import StandIn
from sandbox.stripe.state import Body

_INQUIRY = ("warning_needs_response", "warning_under_review")
_FORMAL = ("needs_response", "under_review")

MAY_BECOME: dict[str, tuple[str, ...]] = {
    "warning_needs_response": ("warning_under_review", "warning_closed", "needs_response"),
    "warning_under_review": ("warning_closed", "needs_response"),
    "warning_closed": (),
    "needs_response": ("under_review", "won", "lost"),
    "under_review": ("won", "lost"),
    "won": (),
    "lost": ("won",),
}
"""What may follow each state."""

_OVER = ("warning_closed", "won", "lost")


class NoSuchStep(ValueError):
    """The dispute does not go there from where it is; the message says how it stands."""


def open_dispute(
    stand_in: StandIn,
    charge: Body,
    *,
    inquiry: bool = False,
    amount: int | None = None,
    reason: str = "fraudulent",
) -> Body:
    """A dispute of a charge, or of ``amount`` of it; an inquiry only asks. Runs in ``changing()``."""
    state = stand_in.state
    dispute = dispute_object(
        charge,
        amount=charge["amount"] if amount is None else amount,
        inquiry=inquiry,
        reason=reason,
        now=stand_in.now(),
    )
    dispute = state.add(dispute)
    state.save({**charge, "disputed": True})
    if not inquiry:
        dispute = _take_the_money(stand_in, dispute)
    emit(stand_in, "charge.dispute.created", dispute)
    if not inquiry:
        emit(stand_in, "charge.dispute.funds_withdrawn", dispute)
    return dispute


def move_dispute(stand_in: StandIn, dispute: Body, *, status: str) -> Body:
    """Let it become ``status``, with its money and its events. Runs in ``changing()``. Raises NoSuchStep."""
    before = dispute["status"]
    if status not in MAY_BECOME[before]:
        raise NoSuchStep(f"Dispute {dispute['id']} is {before}; it can become {', '.join(MAY_BECOME[before]) or '-'}.")
    dispute = {**dispute, "status": status}
    if status in ("under_review", "warning_under_review"):
        details = {"has_evidence": True, "submission_count": 1, "submission_method": "manual"}
        dispute["evidence_details"] = {**dispute["evidence_details"], **details}
    escalates = before in _INQUIRY and status in _FORMAL
    if escalates:
        dispute["payment_method_details"]["card"]["case_type"] = "chargeback"
        dispute = _take_the_money(stand_in, {**dispute, "is_charge_refundable": False})
    if status == "won":
        dispute = _put_the_money_back(stand_in, {**dispute, "is_charge_refundable": True})
    dispute = stand_in.state.save(dispute)
    if status in _OVER:
        emit(stand_in, "charge.dispute.closed", dispute)
    else:
        emit(stand_in, "charge.dispute.updated", dispute, previous={"status": before})
    if escalates:
        emit(stand_in, "charge.dispute.funds_withdrawn", dispute)
    if status == "won":
        emit(stand_in, "charge.dispute.funds_reinstated", dispute)
    return dispute


def holds_the_money(stand_in: StandIn, charge: Body) -> bool:
    """Whether a dispute of this charge forbids to refund it."""
    rows = stand_in.state.rows(
        "SELECT 1 FROM objects WHERE kind = 'dispute' AND json_extract(body, '$.payment_intent') = ? "
        "AND json_extract(body, '$.charge') = ? AND NOT json_extract(body, '$.is_charge_refundable')",
        (charge["payment_intent"], charge["id"]),
    )
    return bool(rows)


def _take_the_money(stand_in: StandIn, dispute: Body) -> Body:
    words = f"Chargeback withdrawal for {dispute['charge']}"
    return _with_money(stand_in, dispute, "dispute", amount=-dispute["amount"], fee=DISPUTE_FEE, words=words)


def _put_the_money_back(stand_in: StandIn, dispute: Body) -> Body:
    words = f"Chargeback reversal for {dispute['charge']}"
    return _with_money(stand_in, dispute, "dispute_reversal", amount=dispute["amount"], fee=0, words=words)


def _with_money(stand_in: StandIn, dispute: Body, category: str, *, amount: int, fee: int, words: str) -> Body:
    money = balance_transaction_object(
        dispute, type="adjustment", category=category, amount=amount, fee=fee, now=stand_in.now(), description=words
    )
    stand_in.state.add(money)
    return stand_in.state.save({**dispute, "balance_transactions": [*dispute["balance_transactions"], money]})
