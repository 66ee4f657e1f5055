from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("tickets", "0003_tickets_in_the_file")]

    operations = [
        migrations.AddIndex(
            "ticket",
            models.Index(
                fields=["status", "created_at"],
                condition=Q(status__in=("pending", "failed")),
                name="ticket_not_made",
            ),
        ),
    ]
