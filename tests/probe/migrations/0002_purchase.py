from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("probe", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Purchase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.TextField()),
            ],
        ),
    ]
