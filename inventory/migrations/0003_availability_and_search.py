import django.contrib.postgres.indexes
import django.contrib.postgres.operations
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models

import jobs.clock

# Compatible forms, accents and capitals made alike. Its search path is that of the extension, so that a dump that is
# restored under an empty one finds it.
CREATE_FOLDED = """
    CREATE FUNCTION inventory_folded(words text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path FROM CURRENT
    AS $$ SELECT lower(unaccent('unaccent', normalize(words, NFKC))) $$
"""

# What somebody typed, in the syntax of search engines: words, "phrases", or, -not. The last word may be a beginning,
# unless a bracket ends the query. Whatever PostgreSQL cannot read is taken for plain words: its reader has a stack of 32.
CREATE_QUERY = """
    CREATE FUNCTION inventory_query(words text) RETURNS tsquery LANGUAGE plpgsql STABLE
    SET search_path FROM CURRENT
    AS $$
    DECLARE typed tsquery;
    BEGIN
        typed := websearch_to_tsquery('simple', inventory_folded(words));
        RETURN CASE WHEN typed::text LIKE '%''' THEN (typed::text || ':*')::tsquery ELSE typed END;
    EXCEPTION WHEN OTHERS THEN
        RETURN plainto_tsquery('simple', inventory_folded(words));
    END $$
"""

# For LIKE: texts that have the words as they are in them, also within a word.
CREATE_PATTERN = r"""
    CREATE FUNCTION inventory_pattern(words text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path FROM CURRENT
    AS $$ SELECT '%' || regexp_replace(inventory_folded(words), '([\\%_])', '\\\1', 'g') || '%' $$
"""

# A vector takes a megabyte at most; nobody looks for what stands behind a hundred thousand characters. The venue is
# locked against a change of its name: whoever of the two comes second then sees what the first one wrote.
WRITE_TEXT = """
    INSERT INTO inventory_showtext (show_id, names, document)
    SELECT show.id,
           inventory_folded(concat_ws(E'\\n', show.title, nullif(show.subtitle, ''), venue.name, venue.city)),
           setweight(to_tsvector('simple', inventory_folded(show.title)), 'A')
           || setweight(to_tsvector('simple', inventory_folded(show.subtitle)), 'B')
           || setweight(to_tsvector('simple', inventory_folded(venue.name || ' ' || venue.city)), 'B')
           || setweight(to_tsvector('simple', inventory_folded(left(show.description, 100000))), 'D')
      FROM inventory_show AS show JOIN inventory_venue AS venue ON venue.id = show.venue_id
     WHERE {which}
       FOR SHARE OF venue
    ON CONFLICT (show_id) DO UPDATE SET names = excluded.names, document = excluded.document
"""

CREATE_TRIGGERS = f"""
    CREATE FUNCTION inventory_write_text_of_show() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT
    AS $$ BEGIN {WRITE_TEXT.format(which="show.id = NEW.id")}; RETURN NULL; END $$;

    CREATE FUNCTION inventory_write_text_of_venue() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT
    AS $$ BEGIN {WRITE_TEXT.format(which="show.venue_id = NEW.id")}; RETURN NULL; END $$;

    CREATE TRIGGER inventory_text_of_show
    AFTER INSERT OR UPDATE OF title, subtitle, description, venue_id ON inventory_show
    FOR EACH ROW EXECUTE FUNCTION inventory_write_text_of_show();

    CREATE TRIGGER inventory_text_of_venue
    AFTER UPDATE OF name, city ON inventory_venue
    FOR EACH ROW WHEN ((OLD.name, OLD.city) IS DISTINCT FROM (NEW.name, NEW.city))
    EXECUTE FUNCTION inventory_write_text_of_venue();
"""

DROP_TRIGGERS = """
    DROP TRIGGER inventory_text_of_venue ON inventory_venue;
    DROP TRIGGER inventory_text_of_show ON inventory_show;
    DROP FUNCTION inventory_write_text_of_venue();
    DROP FUNCTION inventory_write_text_of_show();
"""

COUNT_ALL = """
    INSERT INTO inventory_availability (show_id, free, total, price_from, as_of, version)
    SELECT show.id, count(*) FILTER (WHERE is_free), count(seat.id), min(tier.price) FILTER (WHERE is_free),
           jobs_now(), 1
      FROM inventory_show AS show
      LEFT JOIN inventory_seat AS seat ON seat.show_id = show.id
      LEFT JOIN inventory_pricetier AS tier ON tier.id = seat.tier_id
      LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
     CROSS JOIN LATERAL (
           SELECT seat.status = 'available' OR (seat.status = 'held' AND hold.expires_at <= jobs_now()) AS is_free
     ) AS state
     GROUP BY show.id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0002_sale_openings"),
    ]

    operations = [
        django.contrib.postgres.operations.TrigramExtension(),
        django.contrib.postgres.operations.UnaccentExtension(),
        migrations.CreateModel(
            name="Availability",
            fields=[
                (
                    "show",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="availability",
                        serialize=False,
                        to="inventory.show",
                        verbose_name="show",
                    ),
                ),
                ("free", models.PositiveIntegerField(verbose_name="free seats")),
                ("total", models.PositiveIntegerField(verbose_name="seats")),
                ("price_from", models.BigIntegerField(null=True, verbose_name="cheapest free seat")),
                ("as_of", models.DateTimeField(verbose_name="as of")),
                ("version", models.PositiveIntegerField(default=1, verbose_name="version")),
            ],
            options={
                "verbose_name": "availability",
                "verbose_name_plural": "availabilities",
            },
        ),
        migrations.CreateModel(
            name="SeatChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("show_id", models.BigIntegerField(verbose_name="show")),
                ("at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="at")),
            ],
            options={
                "verbose_name": "change of seats",
                "verbose_name_plural": "changes of seats",
                "indexes": [models.Index(fields=["show_id"], name="seat_change_by_show")],
            },
        ),
        migrations.CreateModel(
            name="ShowText",
            fields=[
                (
                    "show",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="text",
                        serialize=False,
                        to="inventory.show",
                        verbose_name="show",
                    ),
                ),
                ("names", models.TextField(verbose_name="names")),
                ("document", django.contrib.postgres.search.SearchVectorField(verbose_name="document")),
            ],
            options={
                "verbose_name": "search text",
                "verbose_name_plural": "search texts",
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(fields=["document"], name="show_text_by_word"),
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["names"], name="show_text_by_trigram", opclasses=["gin_trgm_ops"]
                    ),
                ],
            },
        ),
        migrations.RunSQL(CREATE_FOLDED, "DROP FUNCTION inventory_folded(text)"),
        migrations.RunSQL(CREATE_QUERY, "DROP FUNCTION inventory_query(text)"),
        migrations.RunSQL(CREATE_PATTERN, "DROP FUNCTION inventory_pattern(text)"),
        migrations.RunSQL(CREATE_TRIGGERS, DROP_TRIGGERS),
        migrations.RunSQL(WRITE_TEXT.format(which="true"), migrations.RunSQL.noop),
        migrations.RunSQL(COUNT_ALL, migrations.RunSQL.noop),
    ]
