"""Before a refund of a cancelled show is sent: not while it is paused, and not faster than the provider takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from boxoffice.cancellation.errors import RefundsPaused, SentTooFast
from boxoffice.models import Refund
from jobs.failures.classify import asked_delay, classify
from jobs.failures.retry import FailureClass
from notifications.channels.on_time import on_turn
from notifications.limits.take import book, rest

DESTINATION = "refunds"

ASK_AGAIN_SECONDS = 3600.0
"""Of a job that comes while its cancellation is paused. Resuming lets it go at once."""


def refuse_while_paused(refund: Refund) -> None:
    """The refund comes with its cancellation. Raises RefundsPaused; the job comes again, and no attempt is used up."""
    if refund.cancellation is not None and refund.cancellation.pause:
        raise RefundsPaused(retry_after=ASK_AGAIN_SECONDS)


@contextmanager
def in_turn() -> Iterator[None]:
    """The one call of this block leaves at its place among those of all workers.

    Raises NoRoomYet where the rate is used up, and SentTooFast where the provider has refused the call for its rate;
    everybody rests then. The job comes again, and no attempt is used up.
    """
    with on_turn(book(DESTINATION)):
        try:
            yield
        except Exception as error:
            if classify(error) is not FailureClass.RATE_LIMITED:
                raise
            raise SentTooFast(retry_after=rest(DESTINATION, asked=asked_delay(error))) from error
