from django.db import migrations

from jobs.append_only import only_adds


class Migration(migrations.Migration):
    dependencies = [
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("boxoffice", "0008_changes_of_logins"),
        ("jobs", "0011_append_only_trail"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="accessaction",
            options={
                "verbose_name": "change of a login",
                "verbose_name_plural": "changes of logins",
                "permissions": [
                    ("view_personal_data", "Can see the names and addresses of fans in full"),
                    ("reset_second_factor", "Can reset the second factor of a login"),
                    ("lift_lockout", "Can lift the lockout of a login"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditTrail",
            fields=[],
            options={
                "verbose_name": "audit trail",
                "verbose_name_plural": "who did what",
                "proxy": True,
                "default_permissions": ("view",),
                "indexes": [],
                "constraints": [],
            },
            bases=("boxoffice.accessaction",),
        ),
        only_adds("boxoffice_orderaction"),
        only_adds("boxoffice_holdaction"),
        only_adds("boxoffice_ordernote"),
        only_adds("boxoffice_accessaction"),
        only_adds("django_admin_log"),
    ]
