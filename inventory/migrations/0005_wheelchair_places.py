from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("inventory", "0004_prices_of_holds")]

    operations = [
        migrations.AddField(
            "pricetier",
            "wheelchair",
            models.BooleanField(
                default=False,
                db_default=False,
                verbose_name="wheelchair places",
                help_text="Marked ♿ in the seat map. Name the tier so that a ticket tells it too.",
            ),
        ),
    ]
