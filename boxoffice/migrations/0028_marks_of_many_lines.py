"""A statement that changes lines leaves one mark for each show, and not one for each line."""

from __future__ import annotations

from django.db import migrations

from boxoffice.sales import marks


class Migration(migrations.Migration):
    dependencies = [("boxoffice", "0027_books_actions")]

    operations = [migrations.RunSQL(marks.MARK_LINES, migrations.RunSQL.noop)]
