import uuid

import django.db.models.deletion
from django.db import migrations, models

import jobs.clock
from jobs.append_only import only_adds


class Migration(migrations.Migration):
    dependencies = [
        ("boxoffice", "0011_sales"),
    ]

    operations = [
        migrations.CreateModel(
            name="AskedAttention",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.UUIDField(default=uuid.uuid4, editable=False, unique=True, verbose_name="number")),
                ("title", models.CharField(max_length=200, verbose_name="title")),
                ("text", models.CharField(max_length=4000, verbose_name="text")),
                ("name", models.CharField(blank=True, max_length=200, verbose_name="name")),
                ("email", models.CharField(blank=True, max_length=254, verbose_name="e-mail")),
                ("language", models.CharField(blank=True, max_length=16, verbose_name="language")),
                ("asked_at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="asked")),
                ("settled_at", models.DateTimeField(blank=True, null=True, verbose_name="settled")),
            ],
            options={
                "verbose_name": "message to the box office",
                "verbose_name_plural": "messages to the box office",
                "default_permissions": ("view",),
            },
        ),
        migrations.CreateModel(
            name="Attention",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=20, verbose_name="kind")),
                ("key", models.CharField(max_length=400, verbose_name="key")),
                ("owner", models.CharField(blank=True, max_length=150, verbose_name="taken by")),
                ("taken_at", models.DateTimeField(blank=True, null=True, verbose_name="taken")),
                ("settled_by", models.CharField(blank=True, max_length=150, verbose_name="settled by")),
                ("settled_at", models.DateTimeField(blank=True, null=True, verbose_name="settled")),
                ("reason", models.CharField(blank=True, max_length=300, verbose_name="reason")),
            ],
            options={
                "verbose_name": "item that needs attention",
                "verbose_name_plural": "needs attention",
                "permissions": [("take_attention", "Can take what needs attention, give it back and settle it")],
                "default_permissions": ("view",),
            },
        ),
        migrations.CreateModel(
            name="AttentionAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=20, verbose_name="kind")),
                ("key", models.CharField(max_length=400, verbose_name="key")),
                (
                    "action",
                    models.CharField(
                        choices=[("take", "taken"), ("give back", "given back"), ("settle", "settled")],
                        max_length=20,
                        verbose_name="action",
                    ),
                ),
                ("by", models.CharField(max_length=150, verbose_name="by")),
                ("reason", models.CharField(blank=True, max_length=300, verbose_name="reason")),
                ("at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="at")),
            ],
            options={
                "verbose_name": "change of what needs attention",
                "verbose_name_plural": "changes of what needs attention",
                "default_permissions": (),
            },
        ),
        migrations.AddIndex(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("problem", ""), _negated=True),
                fields=["order", "id"],
                name="payment_with_a_problem",
            ),
        ),
        migrations.AddIndex(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("status", "succeeded"), _negated=True),
                fields=["created_at"],
                name="refund_without_success",
            ),
        ),
        migrations.AddField(
            model_name="askedattention",
            name="order",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="boxoffice.order",
                verbose_name="order",
            ),
        ),
        migrations.AddIndex(
            model_name="attention",
            index=models.Index(
                condition=models.Q(("settled_at__isnull", False)),
                fields=["-settled_at"],
                name="attention_settled_newest_first",
            ),
        ),
        migrations.AddConstraint(
            model_name="attention",
            constraint=models.UniqueConstraint(fields=("kind", "key"), name="attention_once"),
        ),
        migrations.AddConstraint(
            model_name="attention",
            constraint=models.CheckConstraint(
                condition=models.Q(("owner", ""), ("taken_at__isnull", False), _connector="OR"),
                name="attention_taken_has_its_instant",
            ),
        ),
        migrations.AddConstraint(
            model_name="attention",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("settled_at__isnull", True),
                    models.Q(models.Q(("settled_by", ""), _negated=True), models.Q(("reason", ""), _negated=True)),
                    _connector="OR",
                ),
                name="attention_settled_says_who_and_why",
            ),
        ),
        migrations.AddIndex(
            model_name="attentionaction",
            index=models.Index(fields=["kind", "key", "id"], name="attention_action_by_item"),
        ),
        migrations.AddConstraint(
            model_name="attentionaction",
            constraint=models.CheckConstraint(
                condition=models.Q(("action__in", ("take", "give back", "settle"))), name="attention_action_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="attentionaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("by", ""), _negated=True),
                    models.Q(
                        models.Q(("reason", ""), _negated=True),
                        models.Q(("action", "settle"), _negated=True),
                        _connector="OR",
                    ),
                ),
                name="attention_action_says_who_and_why",
            ),
        ),
        migrations.AddIndex(
            model_name="askedattention",
            index=models.Index(
                condition=models.Q(("settled_at__isnull", True)), fields=["asked_at"], name="asked_attention_open"
            ),
        ),
        migrations.AddConstraint(
            model_name="askedattention",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("title", ""), _negated=True), models.Q(("text", ""), _negated=True)),
                name="asked_attention_says_what",
            ),
        ),
        only_adds("boxoffice_attentionaction"),
    ]
