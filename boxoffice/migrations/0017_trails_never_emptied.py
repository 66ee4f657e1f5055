from django.db import migrations

from jobs.append_only import is_never_emptied


class Migration(migrations.Migration):
    dependencies = [("boxoffice", "0016_exports_of_a_venue"), ("jobs", "0013_trail_never_emptied")]

    operations = [
        is_never_emptied("boxoffice_orderaction"),
        is_never_emptied("boxoffice_holdaction"),
        is_never_emptied("boxoffice_ordernote"),
        is_never_emptied("boxoffice_accessaction"),
        is_never_emptied("boxoffice_attentionaction"),
        is_never_emptied("boxoffice_showaction"),
        is_never_emptied("boxoffice_exportaction"),
        is_never_emptied("django_admin_log"),
    ]
