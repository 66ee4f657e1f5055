from django.db import migrations, models

# Found by hour and code as before, and now also by hour alone, in the order in which rows are made and erased.
BY_HOUR = "ALTER TABLE snip_clickcount DROP CONSTRAINT snip_clickcount_pkey, ADD PRIMARY KEY (hour, code)"
BY_CODE = "ALTER TABLE snip_clickcount DROP CONSTRAINT snip_clickcount_pkey, ADD PRIMARY KEY (code, hour)"


class Migration(migrations.Migration):
    dependencies = [
        ("snip", "0007_site_trail"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(BY_HOUR, BY_CODE)],
            state_operations=[
                migrations.AlterField(
                    "clickcount",
                    "pk",
                    models.CompositePrimaryKey(
                        "hour", "code", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
            ],
        ),
    ]
