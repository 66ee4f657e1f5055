from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("boxoffice", "0017_trails_never_emptied")]

    operations = [
        migrations.AddField(
            model_name="export",
            name="of_shows",
            field=ArrayField(base_field=models.BigIntegerField(), null=True, size=None, verbose_name="of the shows"),
        ),
    ]
