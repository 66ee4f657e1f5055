import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import jobs.clock
from jobs.append_only import only_adds


class Migration(migrations.Migration):
    dependencies = [
        ("boxoffice", "0014_self_help"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ExportAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("export_id", models.BigIntegerField(verbose_name="export")),
                (
                    "action",
                    models.CharField(
                        choices=[("ask", "export asked for"), ("fetch", "export downloaded")],
                        max_length=20,
                        verbose_name="action",
                    ),
                ),
                ("by", models.CharField(max_length=150, verbose_name="by")),
                ("what", models.CharField(max_length=300, verbose_name="what")),
                ("at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="at")),
            ],
            options={
                "verbose_name": "export action",
                "verbose_name_plural": "export actions",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("action__in", ("ask", "fetch"))), name="export_action_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(models.Q(("by", ""), _negated=True), models.Q(("what", ""), _negated=True)),
                        name="export_action_says_who_and_what",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Export",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.UUIDField(editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[("orders", "Orders"), ("attendees", "Attendees"), ("takings", "Takings")],
                        max_length=20,
                        verbose_name="kind",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("planned", "planned"),
                            ("running", "being written"),
                            ("done", "ready"),
                            ("failed", "failed"),
                        ],
                        db_default="planned",
                        max_length=20,
                        verbose_name="state",
                    ),
                ),
                ("by", models.CharField(max_length=150, verbose_name="by")),
                ("language", models.CharField(max_length=16, verbose_name="language")),
                ("show_id", models.BigIntegerField(null=True, verbose_name="show")),
                ("show_title", models.CharField(blank=True, max_length=200, verbose_name="show")),
                ("first", models.DateField(null=True, verbose_name="first day")),
                ("last", models.DateField(null=True, verbose_name="last day")),
                ("rows_done", models.PositiveIntegerField(db_default=0, verbose_name="rows written")),
                ("rows_about", models.PositiveIntegerField(null=True, verbose_name="rows, about")),
                (
                    "storage_name",
                    models.CharField(blank=True, db_default="", max_length=200, verbose_name="name in the storage"),
                ),
                ("size", models.PositiveBigIntegerField(help_text="In bytes.", null=True, verbose_name="size")),
                ("problem", models.CharField(blank=True, db_default="", max_length=300, verbose_name="why it failed")),
                ("asked_at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="asked for")),
                ("ended_at", models.DateTimeField(null=True, verbose_name="ended")),
                ("erase_at", models.DateTimeField(null=True, verbose_name="is erased")),
                ("erased_at", models.DateTimeField(null=True, verbose_name="erased")),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="login",
                    ),
                ),
            ],
            options={
                "verbose_name": "export",
                "verbose_name_plural": "exports",
                "permissions": [
                    ("export_orders", "Can export orders"),
                    ("export_attendees", "Can export attendees"),
                    ("export_takings", "Can export takings"),
                ],
                "default_permissions": ("view",),
                "indexes": [models.Index(fields=["user", "-id"], name="export_by_user")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ("orders", "attendees", "takings"))),
                        name="export_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ("planned", "running", "done", "failed"))),
                        name="export_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", True), ("state__in", ("planned", "running"))),
                            models.Q(("ended_at__isnull", False), ("state__in", ("done", "failed"))),
                            _connector="OR",
                        ),
                        name="export_ended_has_its_instant",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            models.Q(
                                models.Q(("storage_name", ""), _negated=True),
                                ("erase_at__isnull", False),
                                ("rows_about__isnull", False),
                                ("size__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="export_done_has_a_file_that_goes",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("show_id__isnull", False),
                            models.Q(("first__isnull", False), ("last__isnull", False)),
                            _connector="OR",
                        ),
                        name="export_is_of_a_show_or_a_period",
                    ),
                ],
            },
        ),
        only_adds("boxoffice_exportaction"),
    ]
