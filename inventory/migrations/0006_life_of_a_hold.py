import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("inventory", "0005_wheelchair_places")]

    operations = [
        migrations.AddField("hold", "extended_at", models.DateTimeField("extended", null=True, blank=True)),
        migrations.AddField("hold", "left_at", models.DateTimeField("left", null=True, blank=True)),
        migrations.AddField("hold", "ordered_at", models.DateTimeField("order placed", null=True, blank=True)),
        migrations.AddField("hold", "holder", models.UUIDField("browser", null=True, blank=True, editable=False)),
        migrations.AddField(
            "hold",
            "follows",
            models.ForeignKey(
                "inventory.hold",
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="followers",
                null=True,
                blank=True,
                db_index=False,
                verbose_name="in place of",
            ),
        ),
        migrations.AddConstraint(
            "hold",
            models.UniqueConstraint(
                fields=["show", "holder"],
                name="hold_one_active_per_browser",
                condition=Q(status="active", holder__isnull=False),
            ),
        ),
        migrations.AddIndex(
            "hold",
            models.Index(fields=["follows"], name="hold_by_follows", condition=Q(follows__isnull=False)),
        ),
    ]
