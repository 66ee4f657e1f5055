from django.db import migrations

from jobs.append_only import is_never_emptied


class Migration(migrations.Migration):
    dependencies = [("jobs", "0012_dead_runs")]

    operations = [is_never_emptied("jobs_staffaction")]
