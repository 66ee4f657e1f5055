import django.db.models.deletion
from django.db import migrations, models

import jobs.clock
from jobs.append_only import only_adds


class Migration(migrations.Migration):
    dependencies = [
        ("boxoffice", "0012_attention"),
        ("inventory", "0007_places_of_plans"),
    ]

    operations = [
        migrations.CreateModel(
            name="ShowAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("block", "seats put aside"),
                            ("unblock", "seats put back on sale"),
                            ("move", "moved to another time"),
                        ],
                        max_length=20,
                        verbose_name="action",
                    ),
                ),
                ("by", models.CharField(max_length=150, verbose_name="by")),
                ("reason", models.CharField(max_length=300, verbose_name="reason")),
                ("at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="at")),
                ("details", models.JSONField(default=dict, verbose_name="details")),
                (
                    "show",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="actions",
                        to="inventory.show",
                        verbose_name="show",
                    ),
                ),
            ],
            options={
                "verbose_name": "show action",
                "verbose_name_plural": "show actions",
                "permissions": [
                    ("block_seats", "Can put seats of shows aside and back on sale"),
                    ("move_show", "Can move shows to another time"),
                    ("view_house", "Can see who sits where, and the door list"),
                ],
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("action__in", ("block", "unblock", "move"))), name="show_action_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("by", ""), _negated=True), models.Q(("reason", ""), _negated=True)
                        ),
                        name="show_action_says_who_and_why",
                    ),
                ],
            },
        ),
        only_adds("boxoffice_showaction"),
    ]
