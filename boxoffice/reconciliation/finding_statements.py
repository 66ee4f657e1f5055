"""What is found, in SQL: from the transactions that were judged, and from what of ours has none. See ``compare.py``."""

from __future__ import annotations

from boxoffice.reconciliation.statements import REFUNDS, counted_there

_DAY = "({0} AT TIME ZONE 'UTC')::date"

# Whether a time was read whole, and long enough past it: see Note [What was read]. By the days.
_COVERED = """(
       EXISTS (SELECT FROM boxoffice_reconciliation AS r
                WHERE r.day BETWEEN {day} - 1 AND {day} + 1 AND r.read_from <= {at} AND r.read_until > {at})
   AND EXISTS (SELECT FROM boxoffice_reconciliation AS r
                WHERE r.day BETWEEN {day} - 1 AND {day} + 1
                  AND r.read_from <= {at} + %(in_flight)s AND r.read_until > {at} + %(in_flight)s))"""

# One of several transactions about a dispute speaks for all of them.
_OF_TRANSACTIONS = f"""
    SELECT kind, CASE WHEN kind = 'dispute' AND source <> '' THEN 'dispute:' || source ELSE provider_id END AS source,
           min({_DAY.format("created_at")}) AS day,
           sum(CASE WHEN kind = 'other amount' AND category = 'charge' THEN amount - payment_amount
                    WHEN kind = 'other amount' AND category IN {REFUNDS} THEN amount + refund_amount
                    WHEN kind = 'other amount' THEN amount - refund_amount
                    WHEN kind = 'paid twice' AND is_first THEN surplus
                    ELSE amount END)::bigint AS amount,
           min(currency) AS currency, sum(amount)::bigint AS there,
           sum(CASE WHEN category = 'charge' AND payment_status = 'succeeded' AND is_first THEN payment_amount
                    WHEN category IN {REFUNDS} AND kind LIKE 'other %%' OR kind = 'refunded here' THEN -refund_amount
                    WHEN category = 'refund_failure' AND kind LIKE 'other %%' THEN refund_amount END)::bigint AS here,
           coalesce(min(CASE WHEN category = 'charge' AND payment_status = 'succeeded' AND is_first
                             THEN payment_currency ELSE refund_currency END), '') AS here_currency,
           min(suggestion) AS suggestion, min(id) AS transaction_id, min(payment_id) AS payment_id,
           min(refund_id) AS refund_id, min(order_id) AS order_id, min(order_code) AS order_code
      FROM judged WHERE kind <> ''
     GROUP BY 1, 2
"""  # noqa: S608 - words of our own

# A unit more or less is the provider's rounding.
_FEES = f"""
    SELECT 'fee', provider_id, {_DAY.format("created_at")},
           CASE WHEN fee > highest THEN fee - highest ELSE fee - lowest END::bigint, judged.currency, fee, NULL::bigint,
           '', 'write off', id, payment_id, NULL::bigint, order_id, order_code
      FROM judged JOIN unnest(%(fee_currencies)s::text[], %(least_parts)s::bigint[], %(least_fixed)s::bigint[],
                              %(most_parts)s::bigint[], %(most_fixed)s::bigint[])
                       AS rate (currency, least_part, least_fix, most_part, most_fix) USING (currency)
     CROSS JOIN LATERAL (SELECT round(amount::numeric * least_part / 100000000) + least_fix AS lowest,
                                round(amount::numeric * most_part / 100000000) + most_fix AS highest) AS bounds
     WHERE category = 'charge' AND (fee > highest + 1 OR fee < least(lowest, amount) - 1)
"""  # noqa: S608

# Money that came in here and of which the provider has nothing: those of the days before and of these days, and those
# that were found before. By payment_by_settlement, finding_open and balance_by_payment.
_ONLY_HERE = f"""
    SELECT 'only here', 'payment:' || payment.id, {_DAY.format("payment.settled_at")}, {counted_there("payment")},
           payment.currency, NULL::bigint, {counted_there("payment")}, payment.currency, 'write off', NULL::bigint,
           payment.id, NULL::bigint, payment.order_id, ''
      FROM boxoffice_payment AS payment
      JOIN (SELECT id FROM boxoffice_payment
             WHERE status = 'succeeded' AND method = 'online'
               AND settled_at >= %(ours_since)s AND settled_at < %(until)s
               AND {_COVERED.format(at="settled_at", day=_DAY.format("settled_at"))}
            UNION
            SELECT payment_id FROM boxoffice_finding
             WHERE resolution = '' AND kind = 'only here' AND transaction_id IS NULL) AS asked USING (id)
     WHERE payment.status = 'succeeded'
       AND NOT EXISTS (SELECT FROM boxoffice_balancetransaction AS told
                        WHERE told.payment_id = payment.id AND told.category = 'charge')
"""  # noqa: S608

# The same of what was given back. By refund_by_settlement, finding_open and balance_by_refund.
_REFUNDED_HERE = f"""
    SELECT 'refunded here', 'refund:' || refund.id, {_DAY.format("refund.settled_at")}, -{counted_there("refund")},
           refund.currency, NULL::bigint, -{counted_there("refund")}, refund.currency, 'confirm', NULL::bigint,
           refund.payment_id, refund.id, payment.order_id, ''
      FROM boxoffice_refund AS refund JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id
      JOIN (SELECT id FROM boxoffice_refund
             WHERE status = 'succeeded' AND settled_at >= %(ours_since)s AND settled_at < %(until)s
               AND {_COVERED.format(at="settled_at", day=_DAY.format("settled_at"))}
            UNION
            SELECT refund_id FROM boxoffice_finding
             WHERE resolution = '' AND kind = 'refunded here' AND transaction_id IS NULL) AS asked
        ON asked.id = refund.id
     WHERE refund.status = 'succeeded' AND payment.method = 'online'
       AND NOT EXISTS (SELECT FROM boxoffice_balancetransaction AS told
                        WHERE told.refund_id = refund.id AND told.category IN {REFUNDS})
"""  # noqa: S608

# By payment_one_open_per_order and refund_without_success.
_PENDING = f"""
    SELECT 'pending', 'payment:' || payment.id, {_DAY.format("payment.created_at")}, {counted_there("payment")},
           payment.currency, NULL::bigint, NULL::bigint, '', 'confirm', NULL::bigint, payment.id, NULL::bigint,
           payment.order_id, ''
      FROM boxoffice_payment AS payment
     WHERE payment.status IN ('created', 'pending') AND payment.method = 'online'
       AND payment.created_at < %(as_of)s::timestamptz - %(payment_pending)s
    UNION ALL
    SELECT 'pending', 'refund:' || refund.id, {_DAY.format("refund.created_at")}, -{counted_there("refund")},
           refund.currency, NULL::bigint, NULL::bigint, '', 'confirm', NULL::bigint, refund.payment_id, refund.id,
           payment.order_id, ''
      FROM boxoffice_refund AS refund JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id
     WHERE refund.status <> 'succeeded' AND refund.status IN ('planned', 'pending') AND payment.method = 'online'
       AND refund.created_at < %(as_of)s::timestamptz - %(refund_pending)s
"""  # noqa: S608

FOUND = f"""
    CREATE TEMPORARY TABLE judged_findings ON COMMIT DROP AS
    {_OF_TRANSACTIONS} UNION ALL {_FEES} UNION ALL {_ONLY_HERE} UNION ALL {_REFUNDED_HERE} UNION ALL {_PENDING}
"""

# New ones; those that resolved themselves and are there again; and open ones that are told otherwise now. What a person
# has resolved stays so. By finding_once.
KEEP_FINDINGS = """
    INSERT INTO boxoffice_finding AS known (
        kind, source, day, told_with, amount, currency, there, here, here_currency, suggestion, transaction_id,
        payment_id, refund_id, order_id, found_at, owner, resolution, resolved_by, reason
    )
    SELECT kind, source, day, %(told_with)s, found.amount, found.currency, there, here, here_currency, suggestion,
           transaction_id, payment_id, refund_id, coalesce(order_id, named.id), %(as_of)s, '', '', '', ''
      FROM judged_findings AS found
      LEFT JOIN boxoffice_order AS named ON named.code = found.order_code AND found.order_code <> ''
     ORDER BY kind, source
    ON CONFLICT (kind, source) DO UPDATE
       SET day = excluded.day, amount = excluded.amount, currency = excluded.currency, there = excluded.there,
           here = excluded.here, here_currency = excluded.here_currency, suggestion = excluded.suggestion,
           transaction_id = excluded.transaction_id, payment_id = excluded.payment_id, refund_id = excluded.refund_id,
           order_id = excluded.order_id, resolution = '', resolved_at = NULL,
           told_with = CASE WHEN known.resolution = '' THEN known.told_with ELSE excluded.told_with END,
           found_at = CASE WHEN known.resolution = '' THEN known.found_at ELSE excluded.found_at END
     WHERE known.resolution = 'matched later'
        OR known.resolution = ''
           AND (known.day, known.amount, known.currency, known.there, known.here, known.here_currency,
                known.suggestion, known.transaction_id, known.payment_id, known.refund_id, known.order_id)
               IS DISTINCT FROM
               (excluded.day, excluded.amount, excluded.currency, excluded.there, excluded.here,
                excluded.here_currency, excluded.suggestion, excluded.transaction_id, excluded.payment_id,
                excluded.refund_id, excluded.order_id)
    RETURNING day
"""

# Whatever an open finding is about was judged again, so that what was not found is not there any more. By finding_open.
CLOSE_FINDINGS = """
    UPDATE boxoffice_finding AS known SET resolution = 'matched later', resolved_at = %(as_of)s
     WHERE resolution = ''
       AND NOT EXISTS (SELECT FROM judged_findings AS found
                        WHERE found.kind = known.kind AND found.source = known.source)
    RETURNING day
"""
