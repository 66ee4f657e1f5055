import django.db.models.deletion
from django.db import migrations, models

# Seats whose plan has them already are left out before anything is written: only the first show of a plan writes.
WRITE_PLACES = """
    INSERT INTO inventory_planplace (plan_id, guid, place, zone)
    SELECT DISTINCT show.plan_id, seat.guid, lower(seat.row || ' ' || seat.number), seat.zone
      FROM {seats} AS seat JOIN inventory_show AS show ON show.id = seat.show_id
     WHERE NOT EXISTS (
           SELECT FROM inventory_planplace AS known WHERE known.plan_id = show.plan_id AND known.guid = seat.guid)
    ON CONFLICT (plan_id, guid) DO NOTHING
"""

CREATE_TRIGGER = f"""
    CREATE FUNCTION inventory_write_places() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT
    AS $$ BEGIN {WRITE_PLACES.format(seats="added")}; RETURN NULL; END $$;

    CREATE TRIGGER inventory_places_of_plan AFTER INSERT ON inventory_seat
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION inventory_write_places();
"""

DROP_TRIGGER = """
    DROP TRIGGER inventory_places_of_plan ON inventory_seat;
    DROP FUNCTION inventory_write_places();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0006_life_of_a_hold"),
    ]

    operations = [
        migrations.CreateModel(
            name="PlanPlace",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("guid", models.CharField(max_length=200, verbose_name="identifier in the plan")),
                ("place", models.CharField(max_length=101, verbose_name="place")),
                ("zone", models.CharField(blank=True, max_length=200, verbose_name="zone")),
                (
                    "plan",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="places",
                        to="inventory.seatingplan",
                        verbose_name="seating plan",
                    ),
                ),
            ],
            options={
                "verbose_name": "place of a plan",
                "verbose_name_plural": "places of plans",
                "indexes": [models.Index(fields=["place"], name="plan_place_by_name")],
                "constraints": [models.UniqueConstraint(fields=("plan", "guid"), name="plan_place_once")],
            },
        ),
        migrations.RunSQL(WRITE_PLACES.format(seats="inventory_seat"), migrations.RunSQL.noop),
        migrations.RunSQL(CREATE_TRIGGER, DROP_TRIGGER),
    ]
