import django.db.models.deletion
from django.db import migrations, models

import jobs.clock
from jobs.append_only import is_never_emptied, only_adds


class Migration(migrations.Migration):
    dependencies = [
        ("boxoffice", "0020_orders_by_link"),
        ("jobs", "0013_trail_never_emptied"),
    ]

    operations = [
        migrations.CreateModel(
            name="Dispute",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("provider_id", models.CharField(max_length=255, verbose_name="id at the provider")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("warning_needs_response", "inquiry, waits for our answer"),
                            ("warning_under_review", "inquiry, being looked at by the bank"),
                            ("warning_closed", "inquiry, closed without a dispute"),
                            ("needs_response", "waits for our evidence"),
                            ("under_review", "being decided by the bank"),
                            ("appeal_needs_response", "appeal, waits for our evidence"),
                            ("appeal_under_review", "appeal, being decided by the bank"),
                            ("won", "won"),
                            ("lost", "lost"),
                            ("prevented", "given back by the bank without a dispute"),
                        ],
                        max_length=24,
                        verbose_name="status",
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=60, verbose_name="reason")),
                (
                    "amount",
                    models.BigIntegerField(help_text="In the currency's minor unit.", verbose_name="disputed amount"),
                ),
                ("currency", models.CharField(max_length=3, verbose_name="currency")),
                ("withdrawn", models.BigIntegerField(default=0, verbose_name="taken from the balance")),
                ("fee", models.BigIntegerField(default=0, verbose_name="fee")),
                ("evidence_due_at", models.DateTimeField(blank=True, null=True, verbose_name="evidence is due")),
                ("opened_at", models.DateTimeField(verbose_name="opened")),
                ("asked_at", models.DateTimeField(verbose_name="asked")),
                ("changed_at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="changed")),
            ],
            options={
                "verbose_name": "dispute",
                "verbose_name_plural": "disputes",
                "default_permissions": ("view",),
            },
        ),
        migrations.CreateModel(
            name="DisputeStep",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("warning_needs_response", "inquiry, waits for our answer"),
                            ("warning_under_review", "inquiry, being looked at by the bank"),
                            ("warning_closed", "inquiry, closed without a dispute"),
                            ("needs_response", "waits for our evidence"),
                            ("under_review", "being decided by the bank"),
                            ("appeal_needs_response", "appeal, waits for our evidence"),
                            ("appeal_under_review", "appeal, being decided by the bank"),
                            ("won", "won"),
                            ("lost", "lost"),
                            ("prevented", "given back by the bank without a dispute"),
                        ],
                        max_length=24,
                        verbose_name="status",
                    ),
                ),
                ("withdrawn", models.BigIntegerField(default=0, verbose_name="taken from the balance")),
                (
                    "tickets",
                    models.CharField(
                        blank=True,
                        choices=[("void", "tickets void"), ("valid", "tickets valid again")],
                        default="",
                        max_length=8,
                        verbose_name="tickets",
                    ),
                ),
                ("at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="at")),
            ],
            options={
                "verbose_name": "step of a dispute",
                "verbose_name_plural": "steps of disputes",
                "default_permissions": (),
            },
        ),
        migrations.AddField(
            model_name="dispute",
            name="payment",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="disputes",
                to="boxoffice.payment",
                verbose_name="payment",
            ),
        ),
        migrations.AddField(
            model_name="disputestep",
            name="dispute",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="steps",
                to="boxoffice.dispute",
                verbose_name="dispute",
            ),
        ),
        migrations.AddIndex(
            model_name="dispute",
            index=models.Index(
                models.OrderBy(models.F("evidence_due_at"), nulls_last=True),
                models.OrderBy(models.F("id")),
                condition=models.Q(
                    ("status__in", ("warning_needs_response", "needs_response", "appeal_needs_response"))
                ),
                name="dispute_waits_for_us",
            ),
        ),
        migrations.AddConstraint(
            model_name="dispute",
            constraint=models.UniqueConstraint(fields=("provider_id",), name="dispute_once_per_provider_id"),
        ),
        migrations.AddConstraint(
            model_name="dispute",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        (
                            "warning_needs_response",
                            "warning_under_review",
                            "warning_closed",
                            "needs_response",
                            "under_review",
                            "appeal_needs_response",
                            "appeal_under_review",
                            "won",
                            "lost",
                            "prevented",
                        ),
                    )
                ),
                name="dispute_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="dispute",
            constraint=models.CheckConstraint(condition=models.Q(("amount__gt", 0)), name="dispute_amount_is_positive"),
        ),
        migrations.AddConstraint(
            model_name="dispute",
            constraint=models.CheckConstraint(
                condition=models.Q(("currency__regex", "^[A-Z]{3}$")), name="dispute_currency_is_a_code"
            ),
        ),
        migrations.AddConstraint(
            model_name="disputestep",
            constraint=models.CheckConstraint(
                condition=models.Q(("tickets__in", ("", "void", "valid"))), name="dispute_step_tickets_is_known"
            ),
        ),
        only_adds("boxoffice_disputestep"),
        is_never_emptied("boxoffice_disputestep"),
    ]
