from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("tickets", "0005_editions_of_the_file")]

    operations = [
        migrations.AddIndex(
            "scan",
            models.Index(fields=["at", "id"], condition=Q(result__in=("by hand", "undone")), name="scan_with_a_reason"),
        ),
    ]
