"""What the provider's states of a dispute mean for money and tickets. Pure.

Note [Inquiries]: with ``warning_…`` the bank only asks. Nothing was taken, the payment can be refunded, and doing so
ends the matter; so an inquiry changes nothing but that somebody must answer it.

Note [Lost is not the end]: a lost dispute may be appealed and then won. So every state can follow every other, and what
keeps an old answer from replacing a new one is when it was asked for (``Dispute.asked_at``), not its rank.
"""

from __future__ import annotations

from boxoffice.models import Dispute

Status = Dispute.Status

INQUIRIES = (Status.WARNING_NEEDS_RESPONSE, Status.WARNING_UNDER_REVIEW)
OPEN = (Status.NEEDS_RESPONSE, Status.UNDER_REVIEW, Status.APPEAL_NEEDS_RESPONSE, Status.APPEAL_UNDER_REVIEW)
LOST = (Status.LOST, Status.PREVENTED)
KEPT = (Status.WON, Status.WARNING_CLOSED)
"""The money is ours, and it is over."""

WAITING_FOR_US = (Status.WARNING_NEEDS_RESPONSE, Status.NEEDS_RESPONSE, Status.APPEAL_NEEDS_RESPONSE)
"""Somebody must answer, before ``evidence_due_at``."""

HOLDING = OPEN + LOST
"""The bank has the money, or has kept it: the provider refuses to give it back a second time (``charge_disputed``)."""
