from django.db import migrations

from jobs.append_only import is_never_emptied


class Migration(migrations.Migration):
    dependencies = [("notifications", "0008_attention"), ("jobs", "0013_trail_never_emptied")]

    operations = [is_never_emptied("notifications_messageaction")]
