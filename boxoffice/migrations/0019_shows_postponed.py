from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("boxoffice", "0018_shows_of_exports")]

    operations = [
        migrations.RemoveConstraint(model_name="showaction", name="show_action_is_known"),
        migrations.AlterField(
            model_name="showaction",
            name="action",
            field=models.CharField(
                choices=[
                    ("block", "seats put aside"),
                    ("unblock", "seats put back on sale"),
                    ("move", "moved to another time"),
                    ("postpone", "postponed, with no new time yet"),
                ],
                max_length=20,
                verbose_name="action",
            ),
        ),
        migrations.AddConstraint(
            model_name="showaction",
            constraint=models.CheckConstraint(
                name="show_action_is_known", condition=Q(action__in=("block", "unblock", "move", "postpone"))
            ),
        ),
    ]
