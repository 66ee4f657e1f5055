from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0013_trail_never_emptied")]

    operations = [
        migrations.AlterField(
            model_name="heartbeat",
            name="kind",
            field=models.TextField(
                choices=[
                    ("worker", "worker"),
                    ("relay", "relay"),
                    ("beat", "beat"),
                    ("counter", "counter of clicks"),
                ]
            ),
        ),
        migrations.AlterField(
            model_name="heartbeat",
            name="name",
            field=models.TextField(
                help_text="Node name of the worker, or host and pid of any other process.",
                primary_key=True,
                serialize=False,
            ),
        ),
    ]
