from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0007_places_of_plans"),
        ("tickets", "0004_editions_of_the_file"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("status__in", ("pending", "failed"))),
                fields=["created_at"],
                name="ticket_waited_for",
            ),
        ),
    ]
