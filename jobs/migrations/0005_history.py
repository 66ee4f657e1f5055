from django.db import migrations, models

# PostgreSQL wants the partition key in the primary key; Django knows the id alone, which is unique as well. Partitions
# are made by jobs/history/partitions.py, each as it is needed.
CREATE = """
    CREATE TABLE jobs_jobhistory (
        id bigint NOT NULL,
        task text NOT NULL,
        queue text NOT NULL,
        destination text DEFAULT '' NOT NULL,
        subject text DEFAULT '' NOT NULL,
        correlation_id text DEFAULT '' NOT NULL,
        created_at timestamptz NOT NULL,
        started_at timestamptz,
        finished_at timestamptz NOT NULL,
        attempts integer DEFAULT 0 NOT NULL,
        generation integer DEFAULT 0 NOT NULL,
        state text NOT NULL,
        reason text DEFAULT '' NOT NULL,
        PRIMARY KEY (id, finished_at),
        CONSTRAINT job_history_state_is_known CHECK (state IN ('done', 'cancelled'))
    ) PARTITION BY RANGE (finished_at);
    CREATE INDEX job_history_subject ON jobs_jobhistory (subject, id) WHERE NOT (subject = '');
"""


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0004_flow'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(CREATE, "DROP TABLE jobs_jobhistory")],
            state_operations=[
                migrations.CreateModel(
                    name='JobHistory',
                    fields=[
                        ('id', models.BigIntegerField(help_text='The number that the job had.', primary_key=True, serialize=False)),
                        ('task', models.TextField()),
                        ('queue', models.TextField()),
                        ('destination', models.TextField(blank=True, db_default='', default='')),
                        ('subject', models.TextField(blank=True, db_default='', default='')),
                        ('correlation_id', models.TextField(blank=True, db_default='', default='')),
                        ('created_at', models.DateTimeField()),
                        ('started_at', models.DateTimeField(null=True)),
                        ('finished_at', models.DateTimeField()),
                        ('attempts', models.IntegerField(db_default=0, default=0, help_text='Attempts that failed.')),
                        ('generation', models.IntegerField(db_default=0, default=0, help_text='How often staff replayed it.')),
                        ('state', models.TextField(choices=[('done', 'done'), ('cancelled', 'cancelled')])),
                        ('reason', models.TextField(blank=True, db_default='', default='')),
                    ],
                    options={
                        'verbose_name': 'removed job',
                        'verbose_name_plural': 'removed jobs',
                        'default_permissions': ('view',),
                        'indexes': [models.Index(condition=models.Q(('subject', ''), _negated=True), fields=['subject', 'id'], name='job_history_subject')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['done', 'cancelled'])), name='job_history_state_is_known')],
                    },
                ),
            ],
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('state__in', ['done', 'cancelled'])), fields=['finished_at'], name='job_ended'),
        ),
    ]
