import django.db.models.deletion
import jobs.clock
from django.db import migrations, models

from jobs.append_only import is_never_emptied, only_adds
from snip.models.kept_codes import CREATE_TRIGGER, DROP_TRIGGER


class Migration(migrations.Migration):

    dependencies = [
        ("snip", "0002_click_counts"),
        ("jobs", "0013_trail_never_emptied"),
    ]

    operations = [
        migrations.CreateModel(
            name="LinkAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("create", "made"),
                            ("edit", "changed"),
                            ("alias", "word added"),
                            ("retire", "word retired"),
                            ("block", "blocked"),
                            ("unblock", "block lifted"),
                            ("delete", "deleted"),
                        ],
                        max_length=20,
                        verbose_name="action",
                    ),
                ),
                ("by", models.CharField(max_length=150, verbose_name="by")),
                ("what", models.TextField(verbose_name="what")),
                ("at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="at")),
                (
                    "link",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="actions",
                        to="snip.link",
                        verbose_name="link",
                    ),
                ),
            ],
            options={
                "verbose_name": "link action",
                "verbose_name_plural": "link actions",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("action__in", ("create", "edit", "alias", "retire", "block", "unblock", "delete"))
                        ),
                        name="link_action_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("by", ""), _negated=True), models.Q(("what", ""), _negated=True)
                        ),
                        name="link_action_says_who_and_what",
                    ),
                ],
            },
        ),
        only_adds("snip_linkaction"),
        is_never_emptied("snip_linkaction"),
        migrations.RunSQL(CREATE_TRIGGER, DROP_TRIGGER),
    ]
