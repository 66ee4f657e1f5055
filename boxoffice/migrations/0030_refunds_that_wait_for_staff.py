"""The refunds that a human must look at are found without reading those that wait for the provider."""

from __future__ import annotations

from django.db import migrations, models

# Few: those that were planned for money taken at the counter. By the primary keys.
MARK_BY_HAND = """
    UPDATE boxoffice_refund AS refund SET by_hand = true
      FROM boxoffice_payment AS payment
     WHERE payment.id = refund.payment_id AND payment.method <> 'online'
"""


class Migration(migrations.Migration):
    dependencies = [("boxoffice", "0029_cancellations_without_a_look_up")]

    operations = [
        migrations.AddField(
            model_name="refund",
            name="by_hand",
            field=models.BooleanField(db_default=False, default=False, verbose_name="to be paid out by hand"),
        ),
        migrations.RunSQL(MARK_BY_HAND, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="refund",
            index=models.Index(condition=models.Q(("status", "failed")), fields=["payment"], name="refund_failed"),
        ),
        migrations.AddIndex(
            model_name="refund",
            index=models.Index(condition=models.Q(("status", "pending")), fields=["created_at"], name="refund_pending"),
        ),
        migrations.AddIndex(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("by_hand", True), ("status", "planned")),
                fields=["cancellation"],
                name="refund_by_hand",
            ),
        ),
    ]
