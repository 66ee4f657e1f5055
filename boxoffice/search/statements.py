"""What finding orders asks the database, each with the index that answers it.

No statement reads a table from end to end but that of shows, and each is bounded: a name that a tenth of all orders
have costs what any other costs.
"""

from __future__ import annotations

from typing import Any

from django.db import connection

# Keys that were typed as they are. By order.code (unique), ticket.code (unique), payment_key_once,
# payment_once_per_provider_id, payment_by_intent, refund_key_once, refund_once_per_provider_id,
# dispute_once_per_provider_id and the primary keys.
FIND_BY_KEY = """
    SELECT id, 'code' AS by, code AS what FROM boxoffice_order WHERE code = %(order_code)s
    UNION ALL
    SELECT order_id, 'ticket', code FROM tickets_ticket WHERE code = %(ticket_code)s
    UNION ALL
    SELECT order_id, 'payment', %(text)s FROM boxoffice_payment
     WHERE idempotency_key = %(text)s OR provider_id = %(text)s AND provider_id <> ''
        OR intent_id = %(text)s AND intent_id <> '' OR id = %(number)s
    UNION ALL
    SELECT payment.order_id, 'refund', %(text)s
      FROM boxoffice_refund AS refund JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id
     WHERE refund.idempotency_key = %(text)s OR refund.provider_id = %(text)s AND refund.provider_id <> ''
        OR refund.id = %(number)s
    UNION ALL
    SELECT payment.order_id, 'dispute', dispute.provider_id
      FROM boxoffice_dispute AS dispute JOIN boxoffice_payment AS payment ON payment.id = dispute.payment_id
     WHERE dispute.provider_id = %(text)s
"""

# Codes of which one is meant. By order.code (unique) and ticket.code (unique).
FIND_BY_CODES = """
    SELECT id, 'code' AS by, code AS what FROM boxoffice_order WHERE code = ANY(%(order_codes)s::text[])
    UNION ALL
    SELECT order_id, 'ticket', code FROM tickets_ticket WHERE code = ANY(%(ticket_codes)s::text[])
     ORDER BY 1 DESC
"""

# The beginning of a code, by the index of order.code for LIKE.
FIND_BY_BEGINNING = """
    SELECT id, 'code' AS by, code AS what FROM boxoffice_order WHERE code LIKE %(beginning)s
     ORDER BY id DESC LIMIT %(most)s
"""

# Who has or had this seat in the shows that are nearest to the present, the nearest first; words may name the part of
# the house or the show. By plan_place_by_name, seat_guid_once_per_show, and the index of the lines' seats; the shows,
# of which there are some thousands, are read through. A seat has had a handful of orders at most.
FIND_BY_SEAT = """
    WITH show AS MATERIALIZED (
        SELECT id, plan_id, title, abs(extract(epoch FROM starts_at - jobs_now())) AS away FROM inventory_show
         WHERE plan_id IN (SELECT plan_id FROM inventory_planplace WHERE place = ANY(%(places)s::text[]))
         ORDER BY away LIMIT %(shows)s
    )
    SELECT line.order_id, 'seat' AS by, seat.id::text AS what
      FROM show
      JOIN inventory_planplace AS place ON place.plan_id = show.plan_id AND place.place = ANY(%(places)s::text[])
      JOIN inventory_seat AS seat ON seat.show_id = show.id AND seat.guid = place.guid
      JOIN boxoffice_orderline AS line ON line.seat_id = seat.id
     WHERE (SELECT coalesce(bool_and(word_similarity(word, about) >= %(likeness)s), true)
              FROM unnest(%(words)s::text[]) AS word, inventory_folded(place.zone || ' ' || show.title) AS about)
     ORDER BY show.away, line.refunded_at IS NOT NULL, line.order_id DESC
     LIMIT %(most)s
"""

# A text as the words of orders are written; empty ones are none.
FOLD = "SELECT boxoffice_name_words(%(text)s)"

# How a word sounds.
SOUNDS = "SELECT word, boxoffice_sound(word) FROM unnest(%(words)s::text[]) AS word"

# Which of these words any order has, and how many, as far as it matters. By the primary key, one look for each.
KNOWN_WORDS = """
    SELECT wanted.word, known.orders FROM unnest(%(words)s::text[]) AS wanted (word)
     CROSS JOIN LATERAL (
           SELECT count(*) AS orders
             FROM (SELECT FROM boxoffice_orderword WHERE word = wanted.word LIMIT %(enough)s) AS counted) AS known
     WHERE known.orders > 0
"""

# The words that begin so, each once, by jumping from one to the next in the primary key.
WORDS_THAT_BEGIN = """
    WITH RECURSIVE known AS (
        (SELECT word FROM boxoffice_orderword WHERE word >= %(beginning)s ORDER BY word LIMIT 1)
        UNION ALL
        SELECT (SELECT min(further.word) FROM boxoffice_orderword AS further WHERE further.word > known.word)
          FROM known WHERE starts_with(known.word, %(beginning)s)
    )
    SELECT word FROM known WHERE starts_with(word, %(beginning)s) LIMIT %(most)s
"""

# The orders that have one of the words of each term, the nearest first and then the newest. Of a word the newest
# orders count, so that a name that everybody has costs no more. By the primary key alone: order_id is in it.
FIND_BY_WORDS = """
    SELECT order_id, away FROM (
           SELECT newest.order_id, {away} AS away
             FROM unnest(%(terms)s::int[], %(words)s::text[], %(aways)s::int[]) AS wanted (term, word, away)
            CROSS JOIN LATERAL (
                  SELECT order_id FROM boxoffice_orderword AS kept WHERE kept.word = wanted.word
                   ORDER BY order_id DESC LIMIT %(newest)s) AS newest
            GROUP BY newest.order_id) AS near
     WHERE away IS NOT NULL
     ORDER BY away, order_id DESC
     LIMIT %(most)s
"""


def find_by_words(*, terms: int) -> str:
    """The statement for so many terms, which are numbered from 0. NULL is away where one is missing."""
    return FIND_BY_WORDS.format(away=" + ".join(f"min(away) FILTER (WHERE term = {nth})" for nth in range(terms)))


def rows_of(sql: str, **values: Any) -> list[tuple[Any, ...]]:
    """The rows that the statement returns."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()
