from django.db import migrations, models
from django.db.models.functions import Lower

# Holds by which somebody buys already, while this is introduced.
NOTE_ORDERS = """
    UPDATE inventory_hold AS hold SET ordered_at = o.placed_at
      FROM boxoffice_order AS o WHERE o.hold_id = hold.id AND hold.status = 'active' AND hold.ordered_at IS NULL
"""


class Migration(migrations.Migration):
    dependencies = [("boxoffice", "0004_payments"), ("inventory", "0006_life_of_a_hold")]

    operations = [
        migrations.AddIndex("order", models.Index(models.F("show"), Lower("email"), name="order_by_buyer")),
        migrations.RunSQL(NOTE_ORDERS, migrations.RunSQL.noop),
    ]
