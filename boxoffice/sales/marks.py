"""Note [Marks of sales]: whatever changes what a show has sold leaves a mark, a row appended in the same transaction.

Triggers append them and not the statements that sell: confirming stays at its five statements, no statement that
somebody writes later can forget it, and rows that are only appended have no lock in common, so that no sale waits for
another. The condition of orders is checked before the function is called: placing an order, paying, correcting a name
cost nothing. Lines change by the thousand where a show is cancelled: a statement leaves one mark for each show.

An order is inserted unconfirmed, so that inserting leaves no mark. Who fills tables with orders that are confirmed
already has them counted by ``manage.py prove_takings --repair``.
"""

from __future__ import annotations

# The order: that it was confirmed, and whatever else its rows of takings are made of.
_ORDER = " OR ".join(
    f"OLD.{column} IS DISTINCT FROM NEW.{column}"
    for column in ("confirmed_at", "show_id", "channel", "complimentary", "currency", "total")
)
# The line: that it was given back, or moved to another seat.
_LINE = "id, order_id, refunded_at, seat_id, price"

# EXCEPT and not a join: a plan for one line, which is kept, must serve a thousand as well.
MARK_LINES = f"""
    CREATE OR REPLACE FUNCTION boxoffice_mark_line() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO boxoffice_saleschange (show_id)
        SELECT DISTINCT o.show_id
          FROM (SELECT {_LINE} FROM after_it EXCEPT SELECT {_LINE} FROM before_it) AS changed
          JOIN boxoffice_order AS o ON o.id = changed.order_id
         WHERE o.confirmed_at IS NOT NULL;
        RETURN NULL;
    END
    $$;
    DROP TRIGGER IF EXISTS mark_line ON boxoffice_orderline;
    CREATE TRIGGER mark_line AFTER UPDATE ON boxoffice_orderline
       REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it
       FOR EACH STATEMENT EXECUTE FUNCTION boxoffice_mark_line();
"""  # noqa: S608

CREATE = f"""
    CREATE FUNCTION boxoffice_mark_sale() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO boxoffice_saleschange (show_id) VALUES (NEW.show_id);
        RETURN NULL;
    END
    $$;
    CREATE TRIGGER mark_sale AFTER UPDATE ON boxoffice_order
       FOR EACH ROW WHEN ({_ORDER}) EXECUTE FUNCTION boxoffice_mark_sale();
    {MARK_LINES}
"""  # noqa: S608
DROP = """
    DROP TRIGGER mark_line ON boxoffice_orderline;
    DROP TRIGGER mark_sale ON boxoffice_order;
    DROP FUNCTION boxoffice_mark_line();
    DROP FUNCTION boxoffice_mark_sale();
"""
