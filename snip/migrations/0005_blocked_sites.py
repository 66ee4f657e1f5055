import django.db.models.deletion
import jobs.clock
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("snip", "0004_click_archive"),
    ]

    operations = [
        migrations.CreateModel(
            name="BlockedSite",
            fields=[
                ("host", models.CharField(max_length=253, primary_key=True, serialize=False, verbose_name="site")),
                ("why", models.CharField(max_length=200, verbose_name="reason")),
                ("added_by", models.CharField(max_length=150, verbose_name="by")),
                (
                    "added_at",
                    models.DateTimeField(db_default=jobs.clock.DatabaseNow(), editable=False, verbose_name="since"),
                ),
            ],
            options={
                "verbose_name": "blocked site",
                "verbose_name_plural": "blocked sites",
                "default_permissions": ("view",),
            },
        ),
        migrations.CreateModel(
            name="TargetCheck",
            fields=[
                (
                    "link",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="check_of_target",
                        serialize=False,
                        to="snip.link",
                        verbose_name="link",
                    ),
                ),
                ("ends_at", models.TextField(verbose_name="ends at")),
                ("redirects", models.PositiveSmallIntegerField(verbose_name="redirects")),
                ("checked_at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="checked")),
                ("due_at", models.DateTimeField(verbose_name="next check")),
            ],
            options={
                "verbose_name": "check of a target",
                "verbose_name_plural": "checks of targets",
                "default_permissions": (),
                "indexes": [models.Index(fields=["due_at"], name="targetcheck_due")],
            },
        ),
    ]
