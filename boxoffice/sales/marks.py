"""Note [Marks of sales]: whatever changes what a show has sold leaves a mark, a row appended in the same transaction.

Triggers append them and not the statements that sell: confirming stays at its five statements, no statement that
somebody writes later can forget it, and rows that are only appended have no lock in common, so that no sale waits for
another. Their conditions are checked before the function is called: placing an order, paying, correcting a name cost
nothing.

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
_LINE = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in ("refunded_at", "seat_id", "price"))

CREATE = f"""
    CREATE FUNCTION boxoffice_mark_sale() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO boxoffice_saleschange (show_id) VALUES (NEW.show_id);
        RETURN NULL;
    END
    $$;
    CREATE FUNCTION boxoffice_mark_line() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO boxoffice_saleschange (show_id)
        SELECT show_id FROM boxoffice_order WHERE id = NEW.order_id AND confirmed_at IS NOT NULL;
        RETURN NULL;
    END
    $$;
    CREATE TRIGGER mark_sale AFTER UPDATE ON boxoffice_order
       FOR EACH ROW WHEN ({_ORDER}) EXECUTE FUNCTION boxoffice_mark_sale();
    CREATE TRIGGER mark_line AFTER UPDATE ON boxoffice_orderline
       FOR EACH ROW WHEN ({_LINE}) EXECUTE FUNCTION boxoffice_mark_line();
"""  # noqa: S608
DROP = """
    DROP TRIGGER mark_line ON boxoffice_orderline;
    DROP TRIGGER mark_sale ON boxoffice_order;
    DROP FUNCTION boxoffice_mark_line();
    DROP FUNCTION boxoffice_mark_sale();
"""
