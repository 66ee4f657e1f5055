"""The nightly proof: repairs what differs, and asks somebody to look at why it did."""

from __future__ import annotations

from uuid import NAMESPACE_OID, uuid5

from django.utils.translation import gettext as _

from boxoffice.attention.ask_for_attention import ask_for_attention
from boxoffice.sales.prove_takings import Proof, prove_takings
from inventory.money import Money
from jobs.clock import database_now


def prove_and_tell() -> Proof:
    """Prove and repair all takings; where something differed, one item needs attention, once a day. Opens its own
    transactions; a second run on the same day adds no second item.
    """
    proof = prove_takings(repair=True)
    if not proof.holds:
        ask_for_attention(
            title=_("Takings differed from the orders"),
            text="\n".join(_sentences(proof)),
            number=uuid5(NAMESPACE_OID, f"takings {database_now():%Y-%m-%d}"),
        )
    return proof


def _sentences(proof: Proof) -> list[str]:
    differed = [
        _("Show %(show)s: gross was %(gross)s and refunded %(refunded)s too high. It was counted anew.")
        % {
            "show": each.show_id,
            "gross": Money(each.gross, each.currency),
            "refunded": Money(each.refunded, each.currency),
        }
        for each in proof.differences
    ]
    unlike = [
        _("Show %(show)s: lines cost %(amount)s more than the orders' totals say. Counting cannot mend that.")
        % {"show": show_id, "amount": Money(amount, currency)}
        for show_id, currency, amount in proof.unlike
    ]
    return differed + unlike
