from django.db import migrations, models

# A name as words: small letters without accents, apostrophes left out, whatever else is no letter taken for a gap. A
# name of more words than anybody has is found by its first ones.
CREATE_NAME_WORDS = r"""
    CREATE FUNCTION boxoffice_name_words(name text) RETURNS SETOF text LANGUAGE sql STABLE
    SET search_path FROM CURRENT
    AS $$
        SELECT part FROM regexp_split_to_table(
                   translate(inventory_folded(name), '''`´’', ''), '[\s.,;:()"/\\_+&@|*#<>-]+'
               ) AS part
         WHERE part <> '' LIMIT 12
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
        s := regexp_replace(word, '^h', 'H');
        s := regexp_replace(s, 'sch|sh|cz|sz|ch|zh', 'X', 'g');
        s := regexp_replace(s, 'tz|ts', 's', 'g');
        s := regexp_replace(s, 'ph', 'f', 'g');
        s := regexp_replace(s, 'th|dt', 't', 'g');
        s := regexp_replace(s, 'ck', 'k', 'g');
        s := regexp_replace(s, '[aeiouyjh]+', 'a', 'g');
        s := regexp_replace(translate(s, 'vwdgqczbXH', 'ffttkkspxh'), '(.)\\1+', '\\1', 'g');
        RETURN CASE WHEN length(s) >= 3 THEN '~' || s END;
    END $$
"""

# All that an order is found by: the words of its name and how they sound, the words before the @, the whole address.
CREATE_WORDS = """
    CREATE FUNCTION boxoffice_words_of(name text, email text) RETURNS SETOF text LANGUAGE sql STABLE
    SET search_path FROM CURRENT
    AS $$
        SELECT boxoffice_name_words(name)
        UNION SELECT boxoffice_name_words(split_part(email, '@', 1))
        UNION SELECT boxoffice_sound(word) FROM boxoffice_name_words(name) AS word
                WHERE boxoffice_sound(word) IS NOT NULL
        UNION SELECT inventory_folded(email) WHERE email <> ''
    $$
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
        ("boxoffice", "0008_append_only_trails"),
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
