"""A show that is sold out, for the measurements of refunds: its rows as the services leave them, by the batch."""

from __future__ import annotations

from django.db import connection

from bench.hall import show_on_sale
from inventory.models import Show

SEATS_OF_ORDER = 2

# What a fan leaves who bought two seats and was told: hold, seats, order, lines, payment, tickets, their file.
FILL = f"""
    WITH bought AS MATERIALIZED (
        SELECT nextval(pg_get_serial_sequence('inventory_hold', 'id')) AS hold_id,
               nextval(pg_get_serial_sequence('boxoffice_order', 'id')) AS order_id, nth,
               nextval(pg_get_serial_sequence('inventory_seat', 'id')) AS left_id,
               nextval(pg_get_serial_sequence('inventory_seat', 'id')) AS right_id
          FROM generate_series(1, %(orders)s) AS nth
    ), seated AS MATERIALIZED (
        SELECT bought.*, seat.id AS seat_id, seat.place
          FROM bought, LATERAL (VALUES (left_id, 0), (right_id, 1)) AS seat (id, place)
    ), holds AS (
        INSERT INTO inventory_hold (id, show_id, token, seat_ids, prices, currency, status, expires_at, created_at)
        SELECT hold_id, %(show_id)s, gen_random_uuid(), ARRAY[left_id, right_id], '{{4200, 4200}}', 'EUR', 'confirmed',
               jobs_now() - interval '2 days', jobs_now() - interval '3 days'
          FROM bought
    ), seats AS (
        INSERT INTO inventory_seat (id, show_id, tier_id, guid, zone, "row", number, x, y, position, status, hold_id,
                                    version)
        SELECT seat_id, %(show_id)s, (SELECT min(id) FROM inventory_pricetier WHERE show_id = %(show_id)s),
               'bench-' || nth || '-' || place, 'Field', '', '', 0, 0, 1000 + nth * {SEATS_OF_ORDER} + place, 'sold',
               hold_id, 3
          FROM seated
    ), orders AS (
        INSERT INTO boxoffice_order (id, code, token, hold_id, show_id, name, email, language, status, total, currency,
                                     placed_at, confirmed_at)
        SELECT order_id, 'B' || order_id, gen_random_uuid(), hold_id, %(show_id)s, 'Ada Lovelace',
               'ada' || order_id || '@example.org', 'en', 'confirmed', 8400, 'EUR', jobs_now() - interval '2 days',
               jobs_now() - interval '2 days'
          FROM bought
    ), lines AS (
        INSERT INTO boxoffice_orderline (order_id, seat_id, tier_name, price)
        SELECT order_id, seat_id, 'Field', 4200 FROM seated
    ), payments AS (
        INSERT INTO boxoffice_payment (order_id, method, status, amount, currency, idempotency_key, provider_id,
                                       request, page_url, intent_id, problem, created_at, settled_at)
        SELECT order_id, 'online', 'succeeded', 8400, 'EUR', 'payment-' || order_id, 'cs_' || order_id, '{{}}', '',
               'pi_' || order_id, '', jobs_now() - interval '2 days', jobs_now() - interval '2 days'
          FROM bought
    ), tickets AS (
        INSERT INTO tickets_ticket (order_id, order_code, show_id, seat_id, code, holder_name, language, status,
                                    issued_at, created_at)
        SELECT order_id, 'B' || order_id, %(show_id)s, seat_id, 'T' || seat_id, 'Ada Lovelace', 'en', 'issued',
               jobs_now() - interval '2 days', jobs_now() - interval '2 days'
          FROM seated
    )
    INSERT INTO tickets_ticketdocument (order_id, ticket_ids, storage_name, sha256, size, created_at)
    SELECT order_id, '{{}}', 'tickets/' || order_id || '.pdf', repeat('0', 64), 20000, jobs_now() - interval '2 days'
      FROM bought
"""
ANALYZE = """
    VACUUM (ANALYZE) inventory_hold, inventory_seat, boxoffice_order, boxoffice_orderline, boxoffice_payment,
                     tickets_ticket, tickets_ticketdocument
"""


def sold_out_show(*, orders: int) -> Show:
    """A show with so many paid orders of two seats each."""
    show = show_on_sale(seats=50)
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # foreign keys are right by construction
        cursor.execute(FILL, {"show_id": show.pk, "orders": orders})
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute(ANALYZE)
    show.refresh_from_db()
    return show
