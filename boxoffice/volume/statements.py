"""The bulk forms of holding, placing, paying, confirming, issuing and telling: the rows that those leave, by the batch.

Each INSERT stands for what the named service would have written for each order in the end. A test makes an order both
ways and compares the rows, column by column.
"""

from __future__ import annotations

from boxoffice.order_code import ALPHABET as ORDER_ALPHABET
from boxoffice.order_code import CODE_LENGTH
from boxoffice.volume.house import PARTIES
from tickets.codes import ALPHABET as TICKET_ALPHABET
from tickets.codes import LENGTH


def _written(number: str, alphabet: str, length: int) -> str:
    """The number as a code in this alphabet."""
    base = len(alphabet)
    return " || ".join(
        f"substr('{alphabet}', ({number} / {base**place} %% {base})::int + 1, 1)" for place in reversed(range(length))
    )


# A code each of its own without asking which are taken: another number for each id, and scattered.
_ORDER_CODE = _written(
    f"((id * 275604541 + 90071) %% {len(ORDER_ALPHABET) ** CODE_LENGTH})", ORDER_ALPHABET, CODE_LENGTH
)
_TICKET_CODE = _written(f"((id * 742938285 + 70039) %% {32**LENGTH})", TICKET_ALPHABET, LENGTH)

# As many bits as ``draw_token`` has, in its alphabet.
_TOKEN = """translate(encode(uuid_send(gen_random_uuid()) || substr(uuid_send(gen_random_uuid()), 1, 8), 'base64'),
                      '+/', '-_')"""  # noqa: S105 - drawn anew for each order

_PARTY_OF_SEAT = [party for party, seats in enumerate(PARTIES) for _ in range(seats)]

# ---- The shows (``create_show``, ``advance_show``), as copies of one that those made.

ADD_SHOWS = """
    INSERT INTO inventory_show (venue_id, plan_id, title, slug, subtitle, description, starts_at, doors_at, on_sale_at,
                                status, currency, version, created_at)
    SELECT model.venue_id, model.plan_id, given.title, model.slug || '-' || given.nth, '', '',
           given.starts_at, given.starts_at - interval '30 minutes', given.on_sale_at,
           CASE WHEN given.starts_at < jobs_now() - interval '1 day' THEN 'over' ELSE 'scheduled' END, model.currency,
           CASE WHEN given.starts_at < jobs_now() - interval '1 day' THEN 3 ELSE model.version END, given.on_sale_at
      FROM inventory_show AS model,
           unnest(%(titles)s::text[], %(starts)s::timestamptz[], %(on_sale)s::timestamptz[])
           WITH ORDINALITY AS given (title, starts_at, on_sale_at, nth)
     WHERE model.id = %(model_id)s
     ORDER BY given.nth
    RETURNING id
"""

ADD_TIERS = """
    INSERT INTO inventory_pricetier (show_id, name, category, price, color, position, wheelchair)
    SELECT show.id, tier.name, tier.category, tier.price, tier.color, tier.position, tier.wheelchair
      FROM unnest(%(show_ids)s::bigint[]) AS show (id), inventory_pricetier AS tier
     WHERE tier.show_id = %(model_id)s
     ORDER BY show.id, tier.position
"""

ADD_OPENINGS = """
    INSERT INTO inventory_saleopening (show_id, on_sale_at, announced_at)
    SELECT id, on_sale_at, on_sale_at FROM inventory_show WHERE id = ANY(%(show_ids)s::bigint[])
"""

# ---- What is to be sold: the seats of each show with the order that takes them, and the orders in the order of time.

PLAN_SHOWS = """
    CREATE TEMP TABLE volume_show AS
    SELECT show.id, given.orders, (sum(given.orders) OVER (ORDER BY given.nth) - given.orders)::bigint AS first_order,
           show.on_sale_at AS sold_from, least(show.starts_at, jobs_now() - interval '1 hour') AS sold_until
      FROM unnest(%(show_ids)s::bigint[], %(counts)s::int[]) WITH ORDINALITY AS given (id, orders, nth)
      JOIN inventory_show AS show ON show.id = given.id
"""

PLAN_SEATS = f"""
    CREATE TEMP TABLE volume_seat AS
    SELECT nextval(pg_get_serial_sequence('inventory_seat', 'id')) AS id, planned.* FROM (
           SELECT show.id AS show_id, tier.id AS tier_id, tier.name AS tier_name, tier.price,
                  seat.guid, seat.zone, seat.row, seat.number, seat.x, seat.y, seat.position,
                  CASE WHEN party.nth < show.orders THEN show.first_order + party.nth END AS order_nth
             FROM volume_show AS show
            CROSS JOIN inventory_seat AS seat
             JOIN inventory_pricetier AS model ON model.id = seat.tier_id
             JOIN inventory_pricetier AS tier ON tier.show_id = show.id AND tier.category = model.category
            CROSS JOIN LATERAL (
                  SELECT (seat.position - 1) / {len(_PARTY_OF_SEAT)} * {len(PARTIES)}
                         + (ARRAY{_PARTY_OF_SEAT})[(seat.position - 1) %% {len(_PARTY_OF_SEAT)} + 1] AS nth) AS party
            WHERE seat.show_id = %(model_id)s
            ORDER BY show.id, seat.position) AS planned
"""  # noqa: S608 - constants

PLAN_ORDERS = """
    CREATE TEMP TABLE volume_order AS
    SELECT row_number() OVER (ORDER BY placed_at) AS place, bought.* FROM (
           SELECT show.first_order + party.nth AS nth, show.id AS show_id, show.sold_from
                  + (show.sold_until - show.sold_from) * power(random(), 0.8) AS placed_at,
                  floor(%(people)s * power(random(), 1.2))::bigint AS person
             FROM volume_show AS show CROSS JOIN LATERAL generate_series(0, show.orders - 1) AS party (nth)) AS bought
"""

PLAN_PEOPLE = """
    CREATE TEMP TABLE volume_forename AS
    SELECT nth, name, regexp_replace(inventory_folded(name), '[^a-z]', '', 'g') AS plain
      FROM unnest(%(forenames)s::text[]) WITH ORDINALITY AS given (name, nth);
    CREATE TEMP TABLE volume_surname AS
    SELECT nth, name, regexp_replace(inventory_folded(name), '[^a-z]', '', 'g') AS plain
      FROM unnest(%(surnames)s::text[]) WITH ORDINALITY AS given (name, nth);
    CREATE INDEX ON volume_seat (order_nth);
    CREATE UNIQUE INDEX ON volume_order (place);
    ANALYZE volume_seat, volume_order, volume_forename, volume_surname;
"""

# ---- One batch of orders.

PLAN_BATCH = f"""
    CREATE TEMP TABLE volume_batch ON COMMIT DROP AS
    SELECT drawn.*, {_ORDER_CODE} AS code, placed_at + (20 + person %% 200) * interval '1 second' AS confirmed_at,
           forename.name || ' ' || surname.name AS name,
           forename.plain || '.' || surname.plain || (CASE WHEN person %% 4 > 0 THEN (person %% 9973)::text ELSE '' END)
           || '@' || (%(hosts)s::text[])[person %% {{hosts}} + 1] AS email,
           CASE WHEN person %% 3 = 0 THEN 'en' ELSE 'de' END AS language
      FROM (SELECT nextval(pg_get_serial_sequence('boxoffice_order', 'id')) AS id,
                   nextval(pg_get_serial_sequence('inventory_hold', 'id')) AS hold_id, ordered.* FROM (
                   SELECT * FROM volume_order WHERE place > %(after)s AND place <= %(until)s ORDER BY place) AS ordered
           ) AS drawn
      JOIN volume_forename AS forename
        ON forename.nth = 1 + floor(%(forename_count)s * power((hashint8extended(person, 1) & 1048575) / 1048576.0, 2))
      JOIN volume_surname AS surname
        ON surname.nth = 1 + floor(%(surname_count)s * power((hashint8extended(person, 2) & 1048575) / 1048576.0, 2.5))
"""  # noqa: S608 - constants

PLAN_BATCH_SEATS = """
    CREATE TEMP TABLE volume_batch_seat ON COMMIT DROP AS
    SELECT batch.id AS order_id, batch.hold_id, seat.*
      FROM volume_batch AS batch JOIN volume_seat AS seat ON seat.order_nth = batch.nth
"""

# ``hold_seats``, ``begin_order`` and ``confirm_hold``.
ADD_HOLDS = """
    INSERT INTO inventory_hold (id, show_id, token, seat_ids, prices, currency, status, expires_at, created_at,
                                ordered_at)
    SELECT batch.hold_id, batch.show_id, gen_random_uuid(), seats.ids, seats.prices, %(currency)s, 'confirmed',
           batch.placed_at + interval '9 minutes', batch.placed_at - interval '1 minute', batch.placed_at
      FROM volume_batch AS batch
      JOIN (SELECT hold_id, array_agg(id ORDER BY position) AS ids, array_agg(price ORDER BY position) AS prices
              FROM volume_batch_seat GROUP BY hold_id) AS seats USING (hold_id)
     ORDER BY batch.hold_id
"""

# ``create_show``, ``take_seats`` and ``sell_seats``.
ADD_SOLD_SEATS = """
    INSERT INTO inventory_seat (id, show_id, tier_id, guid, zone, "row", number, x, y, position, status, hold_id,
                                version)
    SELECT id, show_id, tier_id, guid, zone, "row", number, x, y, position, 'sold', hold_id, 3
      FROM volume_batch_seat ORDER BY id
"""

# ``place_order`` and ``confirm_order``.
ADD_ORDERS = f"""
    INSERT INTO boxoffice_order (id, code, token, hold_id, show_id, name, email, language, status, total, currency,
                                 placed_at, confirmed_at, channel, complimentary)
    SELECT batch.id, batch.code, {_TOKEN}, batch.hold_id, batch.show_id, batch.name, batch.email, batch.language,
           'confirmed', seats.total, %(currency)s, batch.placed_at, batch.confirmed_at, 'web', false
      FROM volume_batch AS batch
      JOIN (SELECT order_id, sum(price) AS total FROM volume_batch_seat GROUP BY order_id) AS seats
        ON seats.order_id = batch.id
     ORDER BY batch.id
"""  # noqa: S608 - constants

ADD_LINES = """
    INSERT INTO boxoffice_orderline (order_id, seat_id, tier_name, price)
    SELECT order_id, id, tier_name, price FROM volume_batch_seat ORDER BY order_id, position
"""

# ``start_payment`` and ``settle_payment``; what the provider was asked for is shortened to what names the order.
ADD_PAYMENTS = """
    INSERT INTO boxoffice_payment (order_id, method, status, amount, currency, idempotency_key, provider_id, request,
                                   page_url, intent_id, problem, created_at, settled_at)
    SELECT sold.id, 'online', 'succeeded', sold.total, sold.currency, 'payment-' || drawn.key,
           'cs_test_' || replace(drawn.key || drawn.key, '-', ''),
           jsonb_build_object('mode', 'payment', 'client_reference_id', sold.code,
                              'metadata', jsonb_build_object('payment', 'payment-' || drawn.key, 'order', sold.code)),
           'https://pay.example/' || drawn.key, 'pi_' || substr(replace(drawn.key, '-', ''), 1, 24), '',
           sold.placed_at + interval '1 second', sold.confirmed_at
      FROM boxoffice_order AS sold
      JOIN volume_batch USING (id)
     CROSS JOIN LATERAL (SELECT md5(sold.token)::uuid::text AS key) AS drawn
     WHERE sold.total > 0
     ORDER BY sold.id
"""

# ``create_tickets`` and ``issue_tickets``.
ADD_TICKETS = f"""
    INSERT INTO tickets_ticket (id, order_id, order_code, show_id, seat_id, code, holder_name, language, status,
                                issued_at, created_at)
    SELECT id, order_id, order_code, show_id, seat_id, {_TICKET_CODE}, name, language, 'issued',
           confirmed_at + interval '2 seconds', confirmed_at
      FROM (SELECT nextval(pg_get_serial_sequence('tickets_ticket', 'id')) AS id, seats.* FROM (
                   SELECT seat.order_id, batch.code AS order_code, seat.show_id, seat.id AS seat_id, batch.name,
                          batch.language, batch.confirmed_at
                     FROM volume_batch_seat AS seat JOIN volume_batch AS batch ON batch.id = seat.order_id
                    ORDER BY seat.order_id, seat.position) AS seats) AS drawn
"""  # noqa: S608 - constants

ADD_DOCUMENTS = """
    INSERT INTO tickets_ticketdocument (order_id, ticket_ids, storage_name, sha256, size, created_at)
    SELECT batch.id, array_agg(ticket.id ORDER BY ticket.id), 'tickets/' || batch.id || '/' || md5(batch.code)
           || '.pdf', encode(sha256(batch.code::bytea), 'hex'),
           19000 + 1500 * count(*), batch.confirmed_at + interval '2 seconds'
      FROM volume_batch AS batch JOIN tickets_ticket AS ticket ON ticket.order_id = batch.id
     GROUP BY batch.id, batch.code, batch.confirmed_at
     ORDER BY batch.id
"""

# ``plan_tickets_mail`` and ``deliver``, by SMTP.
ADD_MAILS = """
    INSERT INTO notifications_notification (kind, subject, channel, recipient, occurrence, language, status,
                                            idempotency_key, message_id, attempts, created_at, sent_at)
    SELECT %(kind)s, 'order:' || code, 'email', email, '', language, 'sent', drawn.key,
           '<' || drawn.key || '@' || %(sending_domain)s || '>', 1, confirmed_at + interval '2 seconds',
           confirmed_at + interval '3 seconds'
      FROM volume_batch
     CROSS JOIN LATERAL (SELECT md5(volume_batch.code || volume_batch.id)::uuid AS key) AS drawn
     ORDER BY id
"""

# ---- What is left over, and what was counted of it (``count_free_seats``).

ADD_FREE_SEATS = """
    INSERT INTO inventory_seat (id, show_id, tier_id, guid, zone, "row", number, x, y, position, status, version)
    SELECT id, show_id, tier_id, guid, zone, "row", number, x, y, position, 'available', 1
      FROM volume_seat WHERE order_nth IS NULL ORDER BY id
"""

ADD_COUNTS = """
    INSERT INTO inventory_availability (show_id, free, total, price_from, as_of, version)
    SELECT show_id, count(*) FILTER (WHERE order_nth IS NULL), count(*), min(price) FILTER (WHERE order_nth IS NULL),
           jobs_now(), 1
      FROM volume_seat GROUP BY show_id
"""

FORGET_PLAN = "DROP TABLE IF EXISTS volume_show, volume_seat, volume_order, volume_forename, volume_surname"

# In the order in which a batch writes them.
BATCH = (
    ADD_HOLDS, ADD_SOLD_SEATS, ADD_ORDERS, ADD_LINES, ADD_PAYMENTS, ADD_TICKETS, ADD_DOCUMENTS, ADD_MAILS,
)  # fmt: skip

WRITTEN = (
    "inventory_hold", "inventory_seat", "boxoffice_order", "boxoffice_orderline", "boxoffice_payment",
    "tickets_ticket", "tickets_ticketdocument", "notifications_notification", "boxoffice_orderword",
)  # fmt: skip

# What must be true of the shows that were filled, each a number that is 0.
CHECK = """
    WITH sold AS (
        SELECT orders.id, orders.total, orders.code, orders.status, orders.hold_id, orders.email,
               (SELECT count(*) FROM boxoffice_orderline AS line WHERE line.order_id = orders.id) AS lines,
               (SELECT sum(line.price) FROM boxoffice_orderline AS line WHERE line.order_id = orders.id) AS prices,
               (SELECT count(*) FROM inventory_seat AS seat
                 WHERE seat.hold_id = orders.hold_id AND seat.status = 'sold') AS seats,
               (SELECT count(*) FROM tickets_ticket AS ticket
                 WHERE ticket.order_id = orders.id AND ticket.status = 'issued') AS tickets,
               (SELECT cardinality(document.ticket_ids) FROM tickets_ticketdocument AS document
                 WHERE document.order_id = orders.id) AS printed,
               (SELECT sum(payment.amount) FROM boxoffice_payment AS payment
                 WHERE payment.order_id = orders.id AND payment.status = 'succeeded') AS paid,
               (SELECT count(*) FROM notifications_notification AS mail
                 WHERE mail.subject = 'order:' || orders.code AND mail.recipient = orders.email
                   AND mail.status = 'sent') AS mails,
               hold.status AS hold_status, cardinality(hold.seat_ids) AS held
          FROM boxoffice_order AS orders JOIN inventory_hold AS hold ON hold.id = orders.hold_id
         WHERE orders.show_id = ANY(%(show_ids)s::bigint[])
    )
    SELECT count(*) FILTER (WHERE seats <> lines) AS "orders whose seats are not their lines",
           count(*) FILTER (WHERE tickets <> lines) AS "orders whose tickets are not their lines",
           count(*) FILTER (WHERE printed IS DISTINCT FROM lines) AS "orders whose file has not their tickets",
           count(*) FILTER (WHERE held <> lines OR hold_status <> 'confirmed') AS "orders whose hold is another",
           count(*) FILTER (WHERE prices IS DISTINCT FROM total) AS "orders whose lines are not their total",
           count(*) FILTER (WHERE total > 0 AND paid IS DISTINCT FROM total) AS "orders that were not paid",
           count(*) FILTER (WHERE mails <> 1) AS "orders without their mail",
           (SELECT count(*) FROM inventory_seat
             WHERE show_id = ANY(%(show_ids)s::bigint[]) AND status = 'sold') - coalesce(sum(lines), 0)
               AS "seats sold without an order",
           (SELECT coalesce(sum(free), 0) FROM inventory_availability WHERE show_id = ANY(%(show_ids)s::bigint[]))
           - (SELECT count(*) FROM inventory_seat
               WHERE show_id = ANY(%(show_ids)s::bigint[]) AND status = 'available') AS "free seats counted too many",
           %(orders)s - count(*) AS "orders that are missing"
      FROM sold
"""
