import jobs.clock
from django.db import migrations, models

from jobs.append_only import is_never_emptied, only_adds


class Migration(migrations.Migration):

    dependencies = [
        ("snip", "0006_link_once_by_form"),
        ("jobs", "0013_trail_never_emptied"),
    ]

    operations = [
        migrations.CreateModel(
            name="SiteAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("host", models.CharField(max_length=253, verbose_name="site")),
                (
                    "action",
                    models.CharField(
                        choices=[("block", "blocked"), ("lift", "block lifted")], max_length=20, verbose_name="action"
                    ),
                ),
                ("by", models.CharField(max_length=150, verbose_name="by")),
                ("why", models.CharField(max_length=300, verbose_name="reason")),
                ("at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="at")),
            ],
            options={
                "verbose_name": "site action",
                "verbose_name_plural": "site actions",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("action__in", ("block", "lift"))), name="site_action_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("by", ""), _negated=True), models.Q(("why", ""), _negated=True)
                        ),
                        name="site_action_says_who_and_why",
                    ),
                ],
            },
        ),
        migrations.AlterModelOptions(
            name="blockedsite",
            options={
                "default_permissions": ("view", "add", "delete"),
                "verbose_name": "blocked site",
                "verbose_name_plural": "blocked sites",
            },
        ),
        migrations.AlterField(
            model_name="blockedsite",
            name="why",
            field=models.CharField(max_length=300, verbose_name="reason"),
        ),
        only_adds("snip_siteaction"),
        is_never_emptied("snip_siteaction"),
    ]
