from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("snip", "0005_blocked_sites"),
    ]

    operations = [
        migrations.AddField(
            model_name="link",
            name="form_number",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="link",
            name="form_place",
            field=models.PositiveSmallIntegerField(db_default=0, editable=False),
        ),
        migrations.AddConstraint(
            model_name="link",
            constraint=models.UniqueConstraint(
                condition=models.Q(("form_number__isnull", False)),
                fields=("form_number", "form_place"),
                name="link_once_by_form",
            ),
        ),
    ]
