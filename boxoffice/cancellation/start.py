"""Starting to cancel a show: from this transaction on nobody can buy, and the rest comes by jobs."""

from __future__ import annotations

from django.db import connection, transaction

from boxoffice.cancellation import transitions, workflow
from boxoffice.cancellation.errors import CancelledBefore, NameDiffers
from boxoffice.cancellation.pages import before_the_first
from boxoffice.cancellation.typed_name import is_name
from boxoffice.models import Cancellation, ShowAction
from boxoffice.models.order import subject_of
from boxoffice.payments.look_again import PRIORITY as LOOK_PRIORITY
from boxoffice.shows.trail import write_show_action
from inventory.advance_show import advance_show
from inventory.errors import TransitionRefused, UnknownShow
from inventory.models import Show
from inventory.release_holds_of_show import release_holds_of_show
from jobs.audit import require_reason
from jobs.enqueue_many import enqueue_many
from jobs.new_job import NewJob

# The attempts to pay that are open. By payment_one_open_per_order and the primary key of orders.
OPEN_PAYMENTS = """
    SELECT payment.id, o.code FROM boxoffice_payment AS payment JOIN boxoffice_order AS o ON o.id = payment.order_id
     WHERE payment.status IN ('created', 'pending') AND o.show_id = %(show_id)s ORDER BY payment.id
"""


def cancel_show(*, show_id: int, seen: int, name: str, by: str, reason: str) -> Cancellation:
    """Cancel the show and begin to give everybody's money back. One transaction.

    The show is cancelled, so that nobody can hold, pay for or confirm seats of it any more; its holds are released, its
    open payment pages are closed by jobs, and the first page of orders comes.

    seen: the version of the show that the page showed. name: what was typed, which must be the show's name as people
    read it. by, reason: kept in the trails of the show and of its orders, and told to nobody else.

    Raises ReasonMissing, NameDiffers, CancelledBefore, and from inventory UnknownShow and TransitionRefused (it has
    changed since, is over, or a draft). Each changes nothing.
    """
    require_reason(by=by, reason=reason)
    show = Show.objects.filter(pk=show_id).first()
    if show is None:
        raise UnknownShow
    if not is_name(name, title=show.title):
        raise NameDiffers
    try:
        return _start(show_id=show_id, seen=seen, by=by, reason=reason)
    except TransitionRefused as refusal:
        # Whoever pressed at the same instant has had the show meanwhile: it has changed, and to just this.
        if Cancellation.objects.filter(show_id=show_id).exists():
            raise CancelledBefore from refusal
        raise


def _start(*, show_id: int, seen: int, by: str, reason: str) -> Cancellation:
    with transaction.atomic():
        if Cancellation.objects.filter(show_id=show_id).exists():
            raise CancelledBefore
        advance_show(show_id=show_id, to=Show.Status.CANCELLED, seen=seen)  # locks the show
        cursor = before_the_first(show_id=show_id)
        cancellation = transitions.start(show_id=show_id, cursor=cursor, by=by.strip(), reason=reason.strip())
        if cancellation is None:
            raise CancelledBefore
        holds = release_holds_of_show(show_id=show_id)
        pages = _close_payment_pages(show_id=show_id)
        write_show_action(
            show_id=show_id, action=ShowAction.Action.CANCEL, by=by, reason=reason, details={"version": seen + 1}
        )
        workflow.begin(cancellation=cancellation, result={"holds": len(holds), "payment_pages": pages})
    return cancellation


def _close_payment_pages(*, show_id: int) -> int:
    """Let the job of each open attempt come now, which ends its session; see ``payments.look_again``."""
    with connection.cursor() as cursor:
        cursor.execute(OPEN_PAYMENTS, {"show_id": show_id})
        found = cursor.fetchall()
    enqueue_many(
        NewJob(
            task="boxoffice.settle_payment",
            args={"payment_id": payment_id},
            subject=subject_of(code=code),
            priority=LOOK_PRIORITY,
            unique_key=f"settle_payment:{payment_id}",
        )
        for payment_id, code in found
    )
    return len(found)
