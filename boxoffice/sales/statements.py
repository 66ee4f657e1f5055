"""What takings are, in SQL: one definition, by which they are counted and by which they are proved.

A seat is sold on the day on which its order was confirmed, and given back on the day on which that was decided, at the
venue. What a line costs counts, so that takings are exactly equal to the orders. Money that bought nothing and goes
back is not in them: it came too late, or was another sum.
"""

from __future__ import annotations

KEY = "show_id, day, tier_id, channel, method, complimentary, currency"
FIGURES = "sold, gross, given_back, refunded"

# The takings of these shows as the orders tell them. Several payments of an order can have succeeded, all of them in
# one way. By order_by_show, orderline_seat_once, and the foreign key's index of payments: OFFSET 0 keeps the lines of
# other shows out of it, of which PostgreSQL would rather read all.
TAKINGS_OF_ORDERS = """
    SELECT line.show_id, event.day, line.tier_id, line.channel, line.method, line.complimentary, line.currency,
           sum(event.sold)::int AS sold, sum(event.gross)::bigint AS gross,
           sum(event.given_back)::int AS given_back, sum(event.refunded)::bigint AS refunded
      FROM (SELECT o.show_id, seat.tier_id, o.channel, o.complimentary, o.currency, line.price,
                   CASE WHEN o.total = 0 THEN '' ELSE coalesce(
                        (SELECT method FROM boxoffice_payment
                          WHERE order_id = o.id AND status = 'succeeded' ORDER BY id LIMIT 1), '') END AS method,
                   (o.confirmed_at AT TIME ZONE venue.time_zone)::date AS sold_on,
                   (line.refunded_at AT TIME ZONE venue.time_zone)::date AS given_back_on
              FROM boxoffice_order AS o
              JOIN inventory_show AS show ON show.id = o.show_id
              JOIN inventory_venue AS venue ON venue.id = show.venue_id
             CROSS JOIN LATERAL (SELECT seat_id, price, refunded_at FROM boxoffice_orderline
                                  WHERE order_id = o.id OFFSET 0) AS line
              JOIN inventory_seat AS seat ON seat.id = line.seat_id
             WHERE o.show_id = ANY(%(show_ids)s::bigint[]) AND o.confirmed_at IS NOT NULL) AS line
     CROSS JOIN LATERAL (VALUES (line.sold_on, 1, line.price, 0, 0),
                                (line.given_back_on, 0, 0, 1, line.price))
           AS event (day, sold, gross, given_back, refunded)
     WHERE event.day IS NOT NULL
     GROUP BY line.show_id, event.day, line.tier_id, line.channel, line.method, line.complimentary, line.currency
"""
