"""A busy house with what it has sold, filled in by SQL: shows on sale for sixty days, each with thousands of orders.

Shares are fixed by each order's number, so that a house of a size is the same house each time: 92 of 100 holds become
orders and 96 of these are paid; 70 % are sold on the web, the rest at the counter and by telephone, 2 % are
complimentary; one in twenty gives a seat back, half of those the day after.
"""

from __future__ import annotations

from django.db import connection

DAYS = 60
SEATS = 5_000
TIERS = (("Stalls", 8_900), ("Circle", 6_450), ("Balcony", 3_925), ("Standing", 1_850))

VENUE = """
    INSERT INTO inventory_venue (name, slug, city, address, time_zone)
    VALUES ('Large House', 'large-house', 'Berlin', 'Ufer 1', 'Europe/Berlin') RETURNING id
"""
PLAN = """
    INSERT INTO inventory_seatingplan (venue_id, name, width, height, document, seat_count, created_at)
    VALUES (%(venue)s, 'Hall', 100, 100, '{}', %(seats)s, jobs_now()) RETURNING id
"""
# From a month after its sale has opened to two months: two thirds are still to come.
SHOWS = """
    INSERT INTO inventory_show (venue_id, plan_id, title, slug, subtitle, description, starts_at, doors_at, on_sale_at,
                                status, currency, version, created_at)
    SELECT %(venue)s, %(plan)s, (ARRAY['Nightbirds','Winter Letters','Paper Boats','The Long Evening','A Glass of Rain',
           'The Cartographer’s Daughter'])[1 + n %% 6] || ', ' || n, 'busy-' || n, '', '', at, at - interval '1 hour',
           jobs_now() - %(days)s * interval '1 day', CASE WHEN at < jobs_now() THEN 'over' ELSE 'scheduled' END, 'EUR',
           1, jobs_now()
      FROM generate_series(1, %(shows)s) AS n,
           LATERAL (SELECT date_trunc('day', jobs_now()) + interval '18:30' + (n - %(shows)s / 3) * interval '1 day')
           AS start (at)
"""
TIER = """
    INSERT INTO inventory_pricetier (show_id, name, category, price, color, position)
    SELECT id, %(name)s, %(name)s, %(price)s, '#0072b2', %(position)s FROM inventory_show WHERE slug LIKE 'busy-%%'
"""
SEATS_OF_SHOWS = """
    INSERT INTO inventory_seat (show_id, tier_id, guid, zone, "row", number, x, y, position, status, version)
    SELECT tier.show_id, tier.id, n::text, tier.name, (n / 50)::text, (n %% 50)::text, n %% 50, n / 50, n,
           CASE WHEN n %% 40 = 39 THEN 'blocked' ELSE 'available' END, 1
      FROM generate_series(0, %(seats)s - 1) AS n
      JOIN inventory_pricetier AS tier ON tier.position = n %% %(tiers)s
      JOIN inventory_show AS show ON show.id = tier.show_id AND show.slug LIKE 'busy-%%'
"""
# One for each 92 of 100 orders; every second one of two seats. The more urgent the nearer the show: squares of days.
HOLDS = """
    INSERT INTO inventory_hold (show_id, token, seat_ids, prices, currency, status, expires_at, created_at)
    SELECT show.id, gen_random_uuid(), ARRAY[n], ARRAY[0], 'EUR',
           CASE WHEN n %% 100 < 8 THEN 'expired' ELSE 'confirmed' END, at + interval '10 minutes', at
      FROM inventory_show AS show, generate_series(1, %(orders)s * 100 / 92) AS n,
           LATERAL (SELECT jobs_now() - interval '20 minutes' - %(days)s * interval '1 day'
                           * power((n * 7919 + show.id * 104729) %% 10007 / 10007.0, 1.5)) AS begun (at)
     WHERE show.slug LIKE 'busy-%%'
"""
ORDERS = """
    INSERT INTO boxoffice_order (code, token, hold_id, show_id, name, email, language, status, total, currency, channel,
                                 complimentary, placed_at, confirmed_at)
    SELECT 'B' || lpad(upper(to_hex(hold.id)), 11, '0'), 'bench-' || hold.id, hold.id, hold.show_id, 'Ada Lovelace',
           'fan' || hold.id || '@example.org', 'en', CASE WHEN hold.id %% 25 = 3 THEN 'expired' ELSE 'confirmed' END, 0,
           'EUR', CASE WHEN hold.id %% 10 < 7 THEN 'web' WHEN hold.id %% 10 < 9 THEN 'counter' ELSE 'phone' END, false,
           hold.created_at + interval '2 minutes',
           CASE WHEN hold.id %% 25 <> 3 THEN hold.created_at + interval '3 minutes' END
      FROM inventory_hold AS hold JOIN inventory_show AS show ON show.id = hold.show_id
     WHERE show.slug LIKE 'busy-%%' AND hold.status = 'confirmed'
"""
# The orders of a show take its seats from the front, one or two each; nobody sits where one is put aside.
LINES = """
    INSERT INTO boxoffice_orderline (order_id, seat_id, tier_name, price, refunded_at)
    SELECT o.id, seat.id, tier.name, CASE WHEN o.id %% 50 = 7 THEN 0 ELSE tier.price END,
           CASE WHEN o.id %% 20 = 1 AND o.nth = o.last
                THEN least(jobs_now(), o.confirmed_at + (o.id %% 2) * interval '1 day') END
      FROM (SELECT sized.*, generate_series(last - id %% 2, last) AS nth
              FROM (SELECT id, show_id, confirmed_at, sum(1 + id %% 2) OVER (PARTITION BY show_id ORDER BY id) AS last
                      FROM boxoffice_order WHERE confirmed_at IS NOT NULL) AS sized) AS o
      JOIN (SELECT id, show_id, tier_id,
                   row_number() OVER (PARTITION BY show_id ORDER BY position * 7919 %% 5003) AS nth
              FROM inventory_seat WHERE status = 'available') AS seat ON (seat.show_id, seat.nth) = (o.show_id, o.nth)
      JOIN inventory_pricetier AS tier ON tier.id = seat.tier_id
"""
TOTALS = """
    UPDATE boxoffice_order AS o
       SET total = sums.total, complimentary = sums.total = 0,
           status = CASE WHEN sums.left = 0 THEN CASE WHEN sums.total = 0 THEN 'cancelled' ELSE 'refunded' END
                         WHEN sums.left < sums.lines THEN 'partly_refunded' ELSE o.status END
      FROM (SELECT order_id, sum(price) AS total, count(*) AS lines, count(*) FILTER (WHERE refunded_at IS NULL) AS left
              FROM boxoffice_orderline GROUP BY order_id) AS sums
     WHERE sums.order_id = o.id
"""
SOLD = """
    UPDATE inventory_seat AS seat SET status = 'sold' FROM boxoffice_orderline AS line
     WHERE line.seat_id = seat.id AND line.refunded_at IS NULL
"""
PAYMENTS = """
    INSERT INTO boxoffice_payment (order_id, method, status, amount, currency, idempotency_key, provider_id, request,
                                   page_url, intent_id, problem, created_at, settled_at)
    SELECT id, CASE WHEN channel = 'web' THEN 'online' WHEN id %% 3 = 0 THEN 'cash' ELSE 'terminal' END, 'succeeded',
           total, currency, 'bench-' || id, '', '{}', '', '', '', confirmed_at, confirmed_at
      FROM boxoffice_order WHERE total > 0 AND confirmed_at IS NOT NULL
"""
NO_MARKS = "TRUNCATE boxoffice_saleschange"
TABLES = (
    "inventory_show", "inventory_seat", "inventory_hold", "boxoffice_order", "boxoffice_orderline", "boxoffice_payment",
)  # fmt: skip


def fill_busy_house(*, shows: int, orders: int) -> int:
    """Fill the database with so many shows of so many paid orders each; returns how many orders there are.

    orders: of each show; no more than 3,000 find their seats. The sales are not counted yet.
    """
    values = {"days": DAYS, "shows": shows, "orders": orders, "seats": SEATS, "tiers": len(TIERS)}
    with connection.cursor() as cursor:
        cursor.execute(VENUE)
        values["venue"] = cursor.fetchone()[0]
        cursor.execute(PLAN, values)
        values["plan"] = cursor.fetchone()[0]
        cursor.execute(SHOWS, values)
        for position, (name, price) in enumerate(TIERS):
            cursor.execute(TIER, {"name": name, "price": price, "position": position})
        for statement in (SEATS_OF_SHOWS, HOLDS, ORDERS, LINES, TOTALS, SOLD, PAYMENTS, NO_MARKS):
            cursor.execute(statement, values if "%(" in statement else {})
        for table in TABLES:
            cursor.execute(f"ANALYZE {table}")
        cursor.execute("SELECT count(*) FROM boxoffice_order WHERE confirmed_at IS NOT NULL")
        return int(cursor.fetchone()[0])
