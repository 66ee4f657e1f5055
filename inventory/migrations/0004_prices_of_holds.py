from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import F, Q

# Holds that are there already: what their seats cost now is what their orders would have been placed at.
WRITE_DOWN = """
    UPDATE inventory_hold AS hold
       SET prices = ARRAY(
               SELECT coalesce(tier.price, 0)
                 FROM unnest(hold.seat_ids) WITH ORDINALITY AS chosen (id, place)
                 LEFT JOIN inventory_seat AS seat ON seat.id = chosen.id
                 LEFT JOIN inventory_pricetier AS tier ON tier.id = seat.tier_id
                ORDER BY chosen.place
           ),
           currency = show.currency
      FROM inventory_show AS show WHERE show.id = hold.show_id
"""


class Migration(migrations.Migration):
    dependencies = [("inventory", "0003_availability_and_search")]

    operations = [
        migrations.AddField(
            "hold",
            "prices",
            ArrayField(models.BigIntegerField(), default=list, verbose_name="prices"),
            preserve_default=False,
        ),
        migrations.AddField(
            "hold", "currency", models.CharField("currency", max_length=3, default=""), preserve_default=False
        ),
        migrations.RunSQL(WRITE_DOWN, migrations.RunSQL.noop),
        # What the update has put off must be done before the table can be altered again.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddConstraint(
            "hold",
            models.CheckConstraint(
                name="hold_has_a_price_for_each_seat", condition=Q(prices__len=F("seat_ids__len"))
            ),
        ),
    ]
