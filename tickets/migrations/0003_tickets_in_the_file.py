from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

# Files that are there already: a ticket that was issued is in its order's file, also one that became void since.
WRITE_DOWN = """
    UPDATE tickets_ticketdocument AS document
       SET ticket_ids = ARRAY(
               SELECT id FROM tickets_ticket
                WHERE order_id = document.order_id AND issued_at IS NOT NULL ORDER BY id
           )
"""


class Migration(migrations.Migration):
    dependencies = [("tickets", "0002_scans")]

    operations = [
        migrations.AddField(
            "ticketdocument",
            "ticket_ids",
            ArrayField(models.BigIntegerField(), default=list, verbose_name="tickets"),
            preserve_default=False,
        ),
        migrations.RunSQL(WRITE_DOWN, migrations.RunSQL.noop),
    ]
