from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0009_trail_never_emptied")]

    operations = [
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(
                condition=models.Q(("channel", "email"), ("kind", "show_cancelled"), ("status", "suppressed")),
                fields=["subject", "id"],
                name="notification_news_not_sent",
            ),
        ),
    ]
