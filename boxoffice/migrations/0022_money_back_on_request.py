import django.db.models.deletion
from django.db import migrations, models

import jobs.clock


class Migration(migrations.Migration):
    dependencies = [
        ("boxoffice", "0021_disputes"),
        ("inventory", "0007_places_of_plans"),
    ]

    operations = [
        migrations.CreateModel(
            name="RefundOffer",
            fields=[
                (
                    "show",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="refund_offer",
                        serialize=False,
                        to="inventory.show",
                        verbose_name="show",
                    ),
                ),
                ("until", models.DateTimeField(verbose_name="money back until")),
                (
                    "placed_until",
                    models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="for orders placed until"),
                ),
            ],
            options={
                "verbose_name": "offer of money back",
                "verbose_name_plural": "offers of money back",
                "default_permissions": (),
            },
        ),
        migrations.RemoveConstraint(
            model_name="showaction",
            name="show_action_is_known",
        ),
        migrations.AlterField(
            model_name="showaction",
            name="action",
            field=models.CharField(
                choices=[
                    ("block", "seats put aside"),
                    ("unblock", "seats put back on sale"),
                    ("move", "moved to another time"),
                    ("postpone", "postponed, with no new time yet"),
                    ("go on", "put on sale again for the time that it had"),
                    ("offer", "money back on request until later"),
                ],
                max_length=20,
                verbose_name="action",
            ),
        ),
        migrations.AddConstraint(
            model_name="showaction",
            constraint=models.CheckConstraint(
                condition=models.Q(("action__in", ("block", "unblock", "move", "postpone", "go on", "offer"))),
                name="show_action_is_known",
            ),
        ),
    ]
