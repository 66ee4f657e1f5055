from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0008_schedules_and_leases")]

    operations = [
        migrations.AddIndex(
            model_name="dedupkey",
            index=models.Index(fields=["created_at"], name="dedup_key_age"),
        ),
    ]
