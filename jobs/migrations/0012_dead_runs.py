from django.db import migrations, models

import jobs.clock
from jobs.dead.shared_cause import CREATE_FUNCTION, DROP_FUNCTION


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0011_append_only_trail"),
    ]

    operations = [
        migrations.CreateModel(
            name="DeadRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.UUIDField(unique=True)),
                ("action", models.TextField(choices=[("replay", "Replay"), ("discard", "Discard")])),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("running", "under way"),
                            ("done", "done"),
                            ("stopped", "stopped"),
                            ("broken", "broken off"),
                        ],
                        db_default="running",
                    ),
                ),
                ("chosen", models.JSONField()),
                ("rate", models.FloatField(help_text="Jobs a second.", null=True)),
                ("by", models.TextField()),
                ("reason", models.TextField()),
                ("total", models.IntegerField(help_text="Dead jobs that the filter matched when it began.")),
                ("changed", models.IntegerField(db_default=0)),
                ("missed", models.IntegerField(db_default=0, help_text="Somebody else was first.")),
                ("refused", models.IntegerField(db_default=0)),
                ("refusals", models.JSONField(default=list)),
                ("cursor_at", models.DateTimeField(null=True)),
                ("cursor_id", models.BigIntegerField(null=True)),
                ("started_at", models.DateTimeField(db_default=jobs.clock.DatabaseNow())),
                ("moved_at", models.DateTimeField(db_default=jobs.clock.DatabaseNow())),
                ("ended_at", models.DateTimeField(null=True)),
                ("stopped_by", models.TextField(blank=True, db_default="", default="")),
            ],
            options={
                "verbose_name": "run over dead jobs",
                "verbose_name_plural": "runs over dead jobs",
                "default_permissions": (),
            },
        ),
        # PostgreSQL writes all rows of the ledger anew for the column: about a second for 200,000 of them.
        migrations.RunSQL(CREATE_FUNCTION, DROP_FUNCTION),
        migrations.AddField(
            model_name="job",
            name="died_of",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Case(
                    models.When(
                        state="dead",
                        then=models.Func(
                            models.F("reason"),
                            models.F("error"),
                            function="jobs_cause",
                            output_field=models.TextField(),
                        ),
                    )
                ),
                output_field=models.TextField(null=True),
                verbose_name="cause",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("state", "dead")),
                fields=["task", "died_of", "finished_at", "id"],
                include=("generation", "subject"),
                name="job_dead_by_cause",
            ),
        ),
        migrations.AddConstraint(
            model_name="deadrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("action__in", ["replay", "discard"])), name="dead_run_action_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="deadrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["running", "done", "stopped", "broken"])),
                name="dead_run_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="deadrun",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("by", ""), _negated=True), models.Q(("reason", ""), _negated=True)),
                name="dead_run_says_who_and_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="deadrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at__isnull", True), ("state", "running")),
                    models.Q(models.Q(("state", "running"), _negated=True), ("ended_at__isnull", False)),
                    _connector="OR",
                ),
                name="dead_run_ended_has_its_instant",
            ),
        ),
        migrations.AddConstraint(
            model_name="deadrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "stopped"), _negated=True),
                    models.Q(("stopped_by", ""), _negated=True),
                    _connector="OR",
                ),
                name="dead_run_stopped_by_whom",
            ),
        ),
    ]
