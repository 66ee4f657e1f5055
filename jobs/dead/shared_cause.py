"""What dead jobs have in common that died of the same: the error's class and its first line, without what differs.

Guarantee: it is a column of the job's row that PostgreSQL itself keeps (``Job.died_of``), whoever marks the job dead,
so that a hundred thousand are counted by an index, and a list, a filter and a command cannot disagree.

    SMTPRecipientsRefused: 550 5.1.1 <ada@example.org> unknown     SMTPRecipientsRefused: 550 # <…> unknown
    ConnectionError: https://api.example.org/v1/refunds/re_12      ConnectionError: https://api.example.org/…
    KeyError: 'order 7KQ2MXW4 has no seat 12'                      KeyError: 'order # has no seat #'
    (no error, reason "crash loop; its on_dead failed too: X")     crash loop

Numbers of three digits that begin with 4 or 5 stay: they are what HTTP and SMTP answer, and two of them are two causes.
Words of eight capitals and figures go: they are codes of orders and tickets.
"""

from __future__ import annotations

# What differs only behind 200 characters is one cause.
CREATE_FUNCTION = r"""
    CREATE FUNCTION jobs_cause(reason text, error text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE WHEN error = '' THEN left(split_part(reason, '; its on_dead failed too', 1), 200)
        ELSE left(class || regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
                 substr(line, length(class) + 1),
                 '(https?://[^/\s?"'']+)[^\s"'')]*', '\1/…', 'g'),
                 '[^\s<>"''(),;:]+@[^\s<>"''(),;:]+', '…', 'g'),
                 '\m[0-9A-Z]{8}\M', '#', 'g'),
                 '\m(?![45]\d\d\M)[\w-]*\d[\w.:-]*', '#', 'g'),
                 '\s+', ' ', 'g'), 200)
        END
        FROM (SELECT line, coalesce(substring(line FROM '^[A-Za-z_][\w.]*(?=:|$)'), '') AS class
              FROM (SELECT left(split_part(error, E'\n', 1), 600) AS line) AS first_line) AS parts
    $$
"""
DROP_FUNCTION = "DROP FUNCTION jobs_cause(text, text)"
