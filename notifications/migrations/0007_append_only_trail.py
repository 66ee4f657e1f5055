from django.db import migrations

from jobs.append_only import only_adds


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0011_append_only_trail"),
        ("notifications", "0006_recipients_with_address"),
    ]

    operations = [only_adds("notifications_messageaction")]
