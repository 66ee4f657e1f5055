import django.contrib.postgres.fields
import django.db.models.deletion
import inventory.models.venue
import jobs.clock
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # The defaults and all decisions about time call jobs_now().
    dependencies = [
        ("jobs", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name='SeatingPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('width', models.FloatField(help_text="In the plan's own unit.", verbose_name='width')),
                ('height', models.FloatField(help_text="In the plan's own unit.", verbose_name='height')),
                ('document', models.JSONField(verbose_name='document')),
                ('seat_count', models.PositiveIntegerField(verbose_name='seats')),
                ('created_at', models.DateTimeField(db_default=jobs.clock.DatabaseNow(), editable=False, verbose_name='created')),
            ],
            options={
                'verbose_name': 'seating plan',
                'verbose_name_plural': 'seating plans',
                'ordering': ['venue', 'name'],
            },
        ),
        migrations.CreateModel(
            name='Venue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('slug', models.SlugField(max_length=80, unique=True, verbose_name='short name in addresses')),
                ('city', models.CharField(max_length=100, verbose_name='city')),
                ('address', models.TextField(verbose_name='address')),
                ('time_zone', models.CharField(help_text='Such as Europe/Berlin.', max_length=64, validators=[inventory.models.venue.validate_time_zone], verbose_name='time zone')),
            ],
            options={
                'verbose_name': 'venue',
                'verbose_name_plural': 'venues',
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Show',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=200, verbose_name='title')),
                ('slug', models.SlugField(max_length=120, unique=True, verbose_name='short name in addresses')),
                ('subtitle', models.CharField(blank=True, max_length=200, verbose_name='subtitle')),
                ('description', models.TextField(blank=True, verbose_name='description')),
                ('starts_at', models.DateTimeField(verbose_name='starts')),
                ('doors_at', models.DateTimeField(verbose_name='doors open')),
                ('on_sale_at', models.DateTimeField(verbose_name='on sale from')),
                ('status', models.CharField(choices=[('draft', 'draft'), ('scheduled', 'scheduled'), ('postponed', 'postponed'), ('over', 'over'), ('cancelled', 'cancelled')], default='draft', editable=False, max_length=20, verbose_name='status')),
                ('currency', models.CharField(help_text='Three letters, such as EUR.', max_length=3, verbose_name='currency')),
                ('version', models.PositiveIntegerField(default=1, editable=False, verbose_name='version')),
                ('created_at', models.DateTimeField(db_default=jobs.clock.DatabaseNow(), editable=False, verbose_name='created')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shows', to='inventory.seatingplan', verbose_name='seating plan')),
                ('venue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shows', to='inventory.venue', verbose_name='venue')),
            ],
            options={
                'verbose_name': 'show',
                'verbose_name_plural': 'shows',
                'ordering': ['starts_at', 'id'],
            },
        ),
        migrations.CreateModel(
            name='PriceTier',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('category', models.CharField(editable=False, max_length=200, verbose_name='category in the plan')),
                ('price', models.BigIntegerField(help_text="In the currency's minor unit, such as cents.", verbose_name='price')),
                ('color', models.CharField(max_length=7, verbose_name='colour')),
                ('position', models.PositiveIntegerField(default=0, verbose_name='order')),
                ('show', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tiers', to='inventory.show', verbose_name='show')),
            ],
            options={
                'verbose_name': 'price tier',
                'verbose_name_plural': 'price tiers',
                'ordering': ['position', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Hold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True, verbose_name='secret of its page')),
                ('seat_ids', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None, verbose_name='seats')),
                ('status', models.CharField(choices=[('active', 'active'), ('confirmed', 'confirmed'), ('expired', 'expired'), ('released', 'released')], default='active', max_length=20, verbose_name='status')),
                ('expires_at', models.DateTimeField(verbose_name='expires')),
                ('created_at', models.DateTimeField(db_default=jobs.clock.DatabaseNow(), verbose_name='created')),
                ('show', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='holds', to='inventory.show', verbose_name='show')),
            ],
            options={
                'verbose_name': 'hold',
                'verbose_name_plural': 'holds',
            },
        ),
        migrations.AddField(
            model_name='seatingplan',
            name='venue',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='plans', to='inventory.venue', verbose_name='venue'),
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('guid', models.CharField(max_length=200, verbose_name='identifier in the plan')),
                ('zone', models.CharField(blank=True, max_length=200, verbose_name='zone')),
                ('row', models.CharField(blank=True, max_length=50, verbose_name='row')),
                ('number', models.CharField(blank=True, max_length=50, verbose_name='number')),
                ('x', models.FloatField(verbose_name='x')),
                ('y', models.FloatField(verbose_name='y')),
                ('position', models.PositiveIntegerField(verbose_name='order in the plan')),
                ('status', models.CharField(choices=[('available', 'available'), ('held', 'held'), ('sold', 'sold'), ('blocked', 'blocked')], default='available', max_length=20, verbose_name='status')),
                ('version', models.PositiveIntegerField(default=1, verbose_name='version')),
                ('hold', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='inventory.hold', verbose_name='hold')),
                ('tier', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.RESTRICT, related_name='seats', to='inventory.pricetier', verbose_name='price tier')),
                ('show', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='inventory.show', verbose_name='show')),
            ],
            options={
                'verbose_name': 'seat',
                'verbose_name_plural': 'seats',
                'indexes': [models.Index(condition=models.Q(('hold__isnull', False)), fields=['hold'], name='seat_by_hold')],
                'constraints': [models.UniqueConstraint(fields=('show', 'guid'), name='seat_guid_once_per_show'), models.CheckConstraint(condition=models.Q(('status__in', ('available', 'held', 'sold', 'blocked'))), name='seat_status_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('hold__isnull', False), ('status', 'held')), ('status', 'sold'), models.Q(('hold__isnull', True), ('status__in', ('available', 'blocked'))), _connector='OR'), name='seat_has_a_hold_when_held')],
            },
        ),
        migrations.AddConstraint(
            model_name='pricetier',
            constraint=models.UniqueConstraint(fields=('show', 'category'), name='tier_category_once_per_show'),
        ),
        migrations.AddConstraint(
            model_name='pricetier',
            constraint=models.CheckConstraint(condition=models.Q(('price__gte', 0)), name='tier_price_is_not_negative', violation_error_message='A price cannot be negative.'),
        ),
        migrations.AddConstraint(
            model_name='pricetier',
            constraint=models.CheckConstraint(condition=models.Q(('color__regex', '^#[0-9a-f]{6}$')), name='tier_color_is_hexadecimal'),
        ),
        migrations.AddIndex(
            model_name='hold',
            index=models.Index(condition=models.Q(('status', 'active')), fields=['expires_at'], name='hold_active_by_expiry'),
        ),
        migrations.AddConstraint(
            model_name='hold',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ('active', 'confirmed', 'expired', 'released'))), name='hold_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='hold',
            constraint=models.CheckConstraint(condition=models.Q(('seat_ids__len__gt', 0)), name='hold_has_seats'),
        ),
        migrations.AddConstraint(
            model_name='hold',
            constraint=models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='hold_lasts'),
        ),
        migrations.AddIndex(
            model_name='show',
            index=models.Index(fields=['starts_at'], name='show_by_start'),
        ),
        migrations.AddConstraint(
            model_name='show',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ('draft', 'scheduled', 'postponed', 'over', 'cancelled'))), name='show_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='show',
            constraint=models.CheckConstraint(condition=models.Q(('currency__regex', '^[A-Z]{3}$')), name='show_currency_is_a_code'),
        ),
        migrations.AddConstraint(
            model_name='show',
            constraint=models.CheckConstraint(condition=models.Q(('doors_at__lte', models.F('starts_at'))), name='show_doors_open_before_it_starts', violation_error_message='The doors must open before the show starts.'),
        ),
        migrations.AddConstraint(
            model_name='show',
            constraint=models.CheckConstraint(condition=models.Q(('on_sale_at__lt', models.F('starts_at'))), name='show_sells_before_it_starts', violation_error_message='The sale must open before the show starts.'),
        ),
        migrations.AddConstraint(
            model_name='seatingplan',
            constraint=models.UniqueConstraint(fields=('venue', 'name'), name='plan_name_once_per_venue'),
        ),
        migrations.AddConstraint(
            model_name='seatingplan',
            constraint=models.CheckConstraint(condition=models.Q(('height__gt', 0), ('width__gt', 0)), name='plan_has_an_area'),
        ),
        migrations.AddConstraint(
            model_name='seatingplan',
            constraint=models.CheckConstraint(condition=models.Q(('seat_count__gt', 0)), name='plan_has_seats'),
        ),
    ]
