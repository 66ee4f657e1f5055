"""What PostgreSQL refuses of codes, whoever asks: to delete one, to let it lead elsewhere, to bring a retired one back.

A code stands on posters. One that came to mean something else would lead their readers to a stranger's page.
Only what runs inside ``erasing`` (``jobs/append_only.py``) may, as with the audit trails; nothing in BoxOffice does.
"""

from __future__ import annotations

CREATE_TRIGGER = """
    CREATE FUNCTION snip_keep_code() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('jobs.erasing', true) = 'on' THEN
            RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
        END IF;
        IF TG_OP = 'UPDATE' AND NEW.code = OLD.code AND NEW.link_id = OLD.link_id
           AND (OLD.retired_at IS NULL OR NEW.retired_at = OLD.retired_at) THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'The code % is kept: it may be retired, but not deleted, given away or brought back.', OLD.code
            USING ERRCODE = 'integrity_constraint_violation';
    END
    $$;
    CREATE TRIGGER keep_code BEFORE UPDATE OR DELETE ON snip_linkcode
        FOR EACH ROW EXECUTE FUNCTION snip_keep_code();
"""
DROP_TRIGGER = "DROP TRIGGER keep_code ON snip_linkcode; DROP FUNCTION snip_keep_code();"
