from django.db import migrations, models

# Partitions are made by snip/counter/partitions.py, an hour each: the first 48 bits of an id are its time.
PROCESSED = """
    CREATE TABLE snip_processedclick (id uuid NOT NULL PRIMARY KEY) PARTITION BY RANGE (id);
"""

# A code that everybody clicks on is one row, written with each batch: with room in its page the new version stays
# there, and no index has to learn of it.
ROOM = "ALTER TABLE snip_clickcount SET (fillfactor = 70)"


class Migration(migrations.Migration):

    dependencies = [
        ('snip', '0001_links'),
    ]

    operations = [
        migrations.CreateModel(
            name='ClickCount',
            fields=[
                ('pk', models.CompositePrimaryKey('code', 'hour', blank=True, editable=False, primary_key=True, serialize=False)),
                ('code', models.CharField(max_length=32, verbose_name='code')),
                ('hour', models.DateTimeField(help_text='When the hour began, in UTC.', verbose_name='hour')),
                ('clicks', models.BigIntegerField(db_default=0, help_text='Of people, as far as one can tell.', verbose_name='clicks')),
                ('bots', models.BigIntegerField(db_default=0, help_text='Of crawlers, and of previews in chats.', verbose_name='bots')),
            ],
            options={
                'verbose_name': 'clicks of an hour',
                'verbose_name_plural': 'clicks of hours',
                'default_permissions': (),
            },
        ),
        migrations.RunSQL(ROOM, migrations.RunSQL.noop),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(PROCESSED, "DROP TABLE snip_processedclick")],
            state_operations=[
                migrations.CreateModel(
                    name='ProcessedClick',
                    fields=[
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False, verbose_name='click')),
                    ],
                    options={
                        'verbose_name': 'click that was counted',
                        'verbose_name_plural': 'clicks that were counted',
                        'default_permissions': (),
                    },
                ),
            ],
        ),
        migrations.CreateModel(
            name='UncountedClicks',
            fields=[
                ('pk', models.CompositePrimaryKey('day', 'why', blank=True, editable=False, primary_key=True, serialize=False)),
                ('day', models.DateField(help_text='When they came, in UTC.', verbose_name='day')),
                ('why', models.TextField(choices=[('late', 'late'), ('early', 'ahead of time')], verbose_name='why')),
                ('clicks', models.BigIntegerField(db_default=0, verbose_name='clicks')),
            ],
            options={
                'verbose_name': 'clicks that were not counted',
                'verbose_name_plural': 'clicks that were not counted',
                'default_permissions': (),
                'constraints': [models.CheckConstraint(condition=models.Q(('why__in', ('late', 'early'))), name='uncounted_clicks_why_is_known')],
            },
        ),
    ]
