from django.db import migrations

from jobs.append_only import CREATE_FUNCTION, DROP_FUNCTION, only_adds


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0010_allowances"),
    ]

    operations = [
        migrations.RunSQL(CREATE_FUNCTION, DROP_FUNCTION),
        only_adds("jobs_staffaction"),
    ]
