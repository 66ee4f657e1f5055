from django.db import migrations, models

# A name as words: small letters without accents, apostrophes left out, other marks taken for gaps; between two gaps is
# an empty one. No regular expressions for them: each order that is placed waits for this, a tenth of a millisecond.
CREATE_NAME_WORDS = r"""
    CREATE FUNCTION boxoffice_name_words(name text) RETURNS text[] LANGUAGE sql STABLE
    SET search_path FROM CURRENT
    AS $$
        SELECT string_to_array(
            translate(inventory_folded(name), E'.,;:()"/\\_+&@|*#<>-\t\n\r''`´’', '                      '), ' ')
    $$
"""

# How a word sounds, told by a ~: what is spoken alike in German or English is written alike, a run of vowels is one.
# Meyer, Maier and Mayr are ~mar; Philipp and Filip ~falap; Schmidt, Schmitt and Schmid ~xmat. NULL for what is short or
# not made of Latin letters.
CREATE_SOUND = """
    CREATE FUNCTION boxoffice_sound(word text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
    DECLARE s text;
    BEGIN
        IF word !~ '^[a-z]{3,}$' THEN RETURN NULL; END IF;
        s := replace(replace(replace(word, 'sch', 'x'), 'sh', 'x'), 'cz', 'x');
        s := replace(replace(replace(s, 'sz', 'x'), 'ch', 'x'), 'zh', 'x');
        s := replace(replace(replace(s, 'tz', 's'), 'ts', 's'), 'ph', 'f');
        s := replace(replace(replace(s, 'th', 't'), 'dt', 't'), 'ck', 'k');
        s := left(s, 1) || translate(substr(s, 2), 'h', 'a');
        s := regexp_replace(translate(s, 'eiouyjvwdgqczb', 'aaaaaaffttkksp'), 'a+', 'a', 'g');
        s := replace(replace(replace(replace(replace(s, 'ff', 'f'), 'kk', 'k'), 'll', 'l'), 'mm', 'm'), 'nn', 'n');
        s := replace(replace(replace(replace(replace(s, 'pp', 'p'), 'rr', 'r'), 'ss', 's'), 'tt', 't'), 'xx', 'x');
        RETURN CASE WHEN length(s) >= 3 THEN '~' || s END;
    END $$
"""

# All that an order is found by: the words of its name and how they sound, the words before the @, the whole address.
CREATE_WORDS = """
    CREATE FUNCTION boxoffice_words_of(name text, email text) RETURNS SETOF text LANGUAGE plpgsql STABLE
    SET search_path FROM CURRENT
    AS $$
    DECLARE
        names constant text[] := (boxoffice_name_words(name))[:20];
        heard constant text[] := ARRAY(SELECT boxoffice_sound(part) FROM unnest(names) AS part);
    BEGIN
        RETURN QUERY
        SELECT DISTINCT word
          FROM unnest(names || heard || (boxoffice_name_words(split_part(email, '@', 1)))[:10] || lower(email)) AS word
         WHERE word <> '';
    END $$
"""

WRITE_WORDS = """
    INSERT INTO boxoffice_orderword (word, order_id)
    SELECT word, placed.id FROM {orders} AS placed
     CROSS JOIN LATERAL boxoffice_words_of(placed.name, placed.email) AS word
    ON CONFLICT DO NOTHING
"""

CREATE_TRIGGERS = f"""
    CREATE FUNCTION boxoffice_write_words() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT
    AS $$ BEGIN {WRITE_WORDS.format(orders="placed")}; RETURN NULL; END $$;

    CREATE FUNCTION boxoffice_forget_words() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT
    AS $$ BEGIN
        DELETE FROM boxoffice_orderword
         WHERE order_id = OLD.id AND word IN (SELECT boxoffice_words_of(OLD.name, OLD.email));
        RETURN NULL;
    END $$;

    CREATE FUNCTION boxoffice_correct_words() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT
    AS $$ BEGIN
        DELETE FROM boxoffice_orderword
         WHERE order_id = OLD.id AND word IN (SELECT boxoffice_words_of(OLD.name, OLD.email)
                                              EXCEPT SELECT boxoffice_words_of(NEW.name, NEW.email));
        INSERT INTO boxoffice_orderword (word, order_id)
        SELECT word, NEW.id FROM boxoffice_words_of(NEW.name, NEW.email) AS word ON CONFLICT DO NOTHING;
        RETURN NULL;
    END $$;

    CREATE TRIGGER boxoffice_words_of_new AFTER INSERT ON boxoffice_order
    REFERENCING NEW TABLE AS placed FOR EACH STATEMENT EXECUTE FUNCTION boxoffice_write_words();

    CREATE TRIGGER boxoffice_words_of_corrected AFTER UPDATE OF name, email ON boxoffice_order
    FOR EACH ROW WHEN ((OLD.name, OLD.email) IS DISTINCT FROM (NEW.name, NEW.email))
    EXECUTE FUNCTION boxoffice_correct_words();

    CREATE TRIGGER boxoffice_words_of_deleted AFTER DELETE ON boxoffice_order
    FOR EACH ROW EXECUTE FUNCTION boxoffice_forget_words();
"""  # noqa: S608 - a constant

DROP_TRIGGERS = """
    DROP TRIGGER boxoffice_words_of_new ON boxoffice_order;
    DROP TRIGGER boxoffice_words_of_corrected ON boxoffice_order;
    DROP TRIGGER boxoffice_words_of_deleted ON boxoffice_order;
    DROP FUNCTION boxoffice_write_words();
    DROP FUNCTION boxoffice_forget_words();
    DROP FUNCTION boxoffice_correct_words();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("boxoffice", "0009_append_only_trails"),
        ("inventory", "0007_places_of_plans"),
    ]

    operations = [
        migrations.CreateModel(
            name="OrderWord",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "word", "order_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("word", models.TextField(db_collation="C", verbose_name="word")),
                ("order_id", models.BigIntegerField(verbose_name="order")),
            ],
            options={
                "verbose_name": "word of an order",
                "verbose_name_plural": "words of orders",
            },
        ),
        migrations.AddIndex(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("intent_id", ""), _negated=True), fields=["intent_id"], name="payment_by_intent"
            ),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(
                models.F("status"),
                models.OrderBy(models.F("placed_at"), descending=True),
                condition=models.Q(("status", "confirmed"), _negated=True),
                name="order_rare_status",
            ),
        ),
        migrations.RunSQL(CREATE_NAME_WORDS, "DROP FUNCTION boxoffice_name_words(text)"),
        migrations.RunSQL(CREATE_SOUND, "DROP FUNCTION boxoffice_sound(text)"),
        migrations.RunSQL(CREATE_WORDS, "DROP FUNCTION boxoffice_words_of(text, text)"),
        migrations.RunSQL(WRITE_WORDS.format(orders="boxoffice_order"), migrations.RunSQL.noop),
        migrations.RunSQL(CREATE_TRIGGERS, DROP_TRIGGERS),
    ]
