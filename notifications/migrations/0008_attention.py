from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0007_append_only_trail"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(
                condition=models.Q(("channel", "email"), ("status__in", ("failed", "bounced", "complained"))),
                fields=["subject", "id"],
                name="notification_not_arrived",
            ),
        ),
    ]
