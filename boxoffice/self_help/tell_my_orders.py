"""Looking whether an address has orders, and planning the one mail with the links to them."""

from __future__ import annotations

from django.db import connection

from boxoffice.messages import my_orders
from boxoffice.messages.urgency import mail_task
from boxoffice.models import AskedOrders
from boxoffice.self_help.orders_of_address import orders_of_address
from notifications.plan import plan_notification

MOST_A_DAY = 5
"""Mails for an address: anybody can type it, and who has five of them has the links."""

# The row with how often its address was asked for on the day before. By asked_orders_once.
ASKED_BEFORE = """
    SELECT count(*) FROM boxoffice_askedorders
     WHERE email = %(email)s AND id < %(id)s AND asked_at > jobs_now() - interval '1 day'
"""


def tell_my_orders(*, asked_id: int) -> bool:
    """Plan the mail for this question; False where there is nothing to tell, or it was told. Requires a transaction.

    Run again it plans nothing: a notification is once per subject, kind and recipient.
    """
    asked = AskedOrders.objects.filter(pk=asked_id).first()
    if asked is None:
        return False
    with connection.cursor() as cursor:
        cursor.execute(ASKED_BEFORE, {"email": asked.email, "id": asked.pk})
        (before,) = cursor.fetchone()
    if before >= MOST_A_DAY or not orders_of_address(email=asked.email):
        return False
    planned = plan_notification(
        kind=my_orders.KIND,
        subject=asked.subject,
        recipient=asked.email,
        language=asked.language,
        task=mail_task(kind=my_orders.KIND),
    )
    return planned is not None
