import django.db.models.functions.text
from django.db import migrations, models

import jobs.clock


class Migration(migrations.Migration):
    dependencies = [
        ("boxoffice", "0013_changes_of_shows"),
    ]

    operations = [
        migrations.CreateModel(
            name="AskedOrders",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.CharField(max_length=254, verbose_name="e-mail")),
                ("language", models.CharField(max_length=16, verbose_name="language")),
                ("ten_minutes", models.BigIntegerField(verbose_name="ten minutes")),
                ("asked_at", models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name="asked")),
            ],
            options={
                "verbose_name": "question for orders",
                "verbose_name_plural": "questions for orders",
                "default_permissions": (),
            },
        ),
        migrations.AddIndex(
            model_name="askedattention",
            index=models.Index(
                models.Func(
                    django.db.models.functions.text.Lower("email"),
                    models.Value("\\+[^@]*@"),
                    models.Value("@"),
                    function="regexp_replace",
                ),
                name="asked_attention_by_mailbox",
            ),
        ),
        migrations.AddConstraint(
            model_name="askedorders",
            constraint=models.UniqueConstraint(fields=("email", "ten_minutes"), name="asked_orders_once"),
        ),
    ]
