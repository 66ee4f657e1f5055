"""What a cancelled show writes for each order is written without looking up again what was locked just before.

Nor does anybody ask for the actions of a refund: that index goes.
"""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("boxoffice", "0030_refunds_that_wait_for_staff")]

    operations = [
        migrations.AlterField(
            model_name="orderaction",
            name="order",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="actions",
                to="boxoffice.order",
                verbose_name="order",
            ),
        ),
        migrations.AlterField(
            model_name="orderaction",
            name="refund",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="actions",
                to="boxoffice.refund",
                verbose_name="refund",
            ),
        ),
        migrations.AlterField(
            model_name="cancelledorder",
            name="order",
            field=models.OneToOneField(
                db_constraint=False,
                on_delete=django.db.models.deletion.PROTECT,
                primary_key=True,
                related_name="cancelled_with",
                serialize=False,
                to="boxoffice.order",
                verbose_name="order",
            ),
        ),
    ]
