from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class BoxOfficeConfig(AppConfig):
    name = "boxoffice"
    verbose_name = _("Box office")

    def ready(self) -> None:
        from boxoffice.roles import checks  # noqa: F401  (registers it)
        from boxoffice.roles.halfway import note_login
        from boxoffice.roles.make_groups import make_groups_after_migrate
        from boxoffice.roles.time_out import note_start

        post_migrate.connect(make_groups_after_migrate, dispatch_uid="boxoffice.roles")
        user_logged_in.connect(note_login, dispatch_uid="boxoffice.roles.second_factor")
        user_logged_in.connect(note_start, dispatch_uid="boxoffice.roles.time_out")
