import django.db.models.deletion
import jobs.clock
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        # The defaults and all decisions about time call jobs_now().
        ("jobs", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Link',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target', models.URLField(max_length=2000, verbose_name='target')),
                ('served_target', models.TextField(blank=True, db_default='', editable=False, verbose_name='target that is served')),
                ('state', models.CharField(choices=[('scanning', 'being checked'), ('live', 'live'), ('refused', 'refused'), ('blocked', 'blocked'), ('deleted', 'deleted')], db_default='scanning', editable=False, max_length=20, verbose_name='state')),
                ('refusal', models.CharField(blank=True, db_default='', editable=False, max_length=300, verbose_name='why it was refused')),
                ('version', models.PositiveIntegerField(db_default=1, editable=False, verbose_name='version')),
                ('label', models.CharField(blank=True, db_default='', help_text='Where it will stand: “Poster, Mitte”.', max_length=100, verbose_name='name')),
                ('show_id', models.BigIntegerField(null=True, verbose_name='show')),
                ('expires_at', models.DateTimeField(null=True, verbose_name='expires')),
                ('created_at', models.DateTimeField(db_default=jobs.clock.DatabaseNow(), editable=False, verbose_name='created')),
                ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
            ],
            options={
                'verbose_name': 'link',
                'verbose_name_plural': 'links',
                'permissions': [('block_link', 'Can block links and let them live again'), ('view_all_links', 'Can see the links of everybody')],
                'default_permissions': ('view', 'add', 'change', 'delete'),
            },
        ),
        migrations.CreateModel(
            name='LinkCode',
            fields=[
                ('code', models.CharField(max_length=32, primary_key=True, serialize=False, verbose_name='code')),
                ('is_alias', models.BooleanField(db_default=False, verbose_name='alias')),
                ('created_at', models.DateTimeField(db_default=jobs.clock.DatabaseNow(), editable=False, verbose_name='created')),
                ('retired_at', models.DateTimeField(editable=False, null=True, verbose_name='retired')),
                ('link', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='codes', to='snip.link', verbose_name='link')),
            ],
            options={
                'verbose_name': 'code of a link',
                'verbose_name_plural': 'codes of links',
                'default_permissions': (),
            },
        ),
        migrations.AddIndex(
            model_name='link',
            index=models.Index(fields=['owner', '-id'], name='link_by_owner'),
        ),
        migrations.AddIndex(
            model_name='link',
            index=models.Index(fields=['show_id'], name='link_by_show'),
        ),
        migrations.AddConstraint(
            model_name='link',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ('scanning', 'live', 'refused', 'blocked', 'deleted'))), name='link_state_is_known'),
        ),
        migrations.AddConstraint(
            model_name='link',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'live'), _negated=True), ('served_target', models.F('target')), _connector='OR'), name='link_live_serves_its_target'),
        ),
        migrations.AddConstraint(
            model_name='link',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'refused'), _negated=True), models.Q(('refusal', ''), _negated=True), _connector='OR'), name='link_refused_says_why'),
        ),
        migrations.AddConstraint(
            model_name='linkcode',
            constraint=models.CheckConstraint(condition=models.Q(('code__regex', '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')), name='link_code_is_of_an_address'),
        ),
        migrations.AddConstraint(
            model_name='linkcode',
            constraint=models.UniqueConstraint(condition=models.Q(('is_alias', False)), fields=('link',), name='link_has_one_drawn_code'),
        ),
    ]
