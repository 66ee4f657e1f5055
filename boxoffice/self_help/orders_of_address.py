"""The orders of an e-mail address whose pages still say something."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from boxoffice.models import Order

AFTER_THE_SHOW_DAYS = 30
"""As long as somebody asks for his money back, or for a receipt."""

MOST = 50
"""Orders in one mail."""

# The shows of today and later, and of each the orders of this address. By order_by_buyer; of the shows there are some
# hundreds. What was given up before it was paid is no order that anybody looks for.
ORDERS = """
    SELECT o.id FROM inventory_show AS s JOIN boxoffice_order AS o
        ON o.show_id = s.id AND lower(o.email) = lower(%(email)s)
     WHERE (s.status = 'postponed' OR s.starts_at > jobs_now() - %(days)s * interval '1 day')
       AND (o.confirmed_at IS NOT NULL OR o.status IN ('pending_payment', 'refunded'))
     ORDER BY s.starts_at < jobs_now(), abs(extract(epoch FROM s.starts_at - jobs_now())), o.id DESC LIMIT %(most)s
"""


def orders_of_address(*, email: str) -> Sequence[Order]:
    """The orders of this address, with show and venue: the next show first, what is over last. Two queries."""
    if not email:
        return []
    with connection.cursor() as cursor:
        cursor.execute(ORDERS, {"email": email, "days": AFTER_THE_SHOW_DAYS, "most": MOST})
        ids = [order_id for (order_id,) in cursor.fetchall()]
    orders = Order.objects.select_related("show__venue").in_bulk(ids)
    return [orders[order_id] for order_id in ids if order_id in orders]
