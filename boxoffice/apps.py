from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class BoxOfficeConfig(AppConfig):
    name = "boxoffice"
    verbose_name = _("Box office")

    def ready(self) -> None:
        from boxoffice.roles.make_groups import make_groups_after_migrate

        post_migrate.connect(make_groups_after_migrate, dispatch_uid="boxoffice.roles")
