import django.db.models.deletion
from django.db import migrations, models

import jobs.clock

# Whoever wanted to know of these openings has found out: they are not announced after the fact. Openings that are
# still to come get their jobs from the schedule.
NOTE_OPEN_SALES = """
    INSERT INTO inventory_saleopening (show_id, on_sale_at)
    SELECT id, on_sale_at FROM inventory_show WHERE status <> 'draft' AND on_sale_at <= jobs_now()
"""


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SaleOpening",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("on_sale_at", models.DateTimeField(verbose_name="on sale from")),
                ("announced_at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="announced")),
                (
                    "show",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sale_openings",
                        to="inventory.show",
                        verbose_name="show",
                    ),
                ),
            ],
            options={
                "verbose_name": "sale opening",
                "verbose_name_plural": "sale openings",
                "constraints": [models.UniqueConstraint(fields=("show", "on_sale_at"), name="sale_opening_once")],
            },
        ),
        migrations.RunSQL(NOTE_OPEN_SALES, migrations.RunSQL.noop),
    ]
