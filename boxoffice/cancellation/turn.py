"""Before a refund of a cancelled show is sent: not while it is paused, and not faster than the provider takes."""

from __future__ import annotations

from boxoffice.cancellation.errors import RefundsPaused
from boxoffice.models import Refund
from notifications.limits.take import take

DESTINATION = "refunds"

ASK_AGAIN_SECONDS = 3600.0
"""Of a job that comes while its cancellation is paused. Resuming lets it go at once."""


def wait_for_turn(refund: Refund) -> None:
    """Return when the refund may be sent: call at once. The refund comes with its cancellation.

    Raises RefundsPaused, and NoRoomYet where the rate is used up; the job then comes again, and no attempt is used up.
    """
    if refund.cancellation is not None and refund.cancellation.pause:
        raise RefundsPaused(retry_after=ASK_AGAIN_SECONDS)
    take(DESTINATION)
