from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BoxOfficeConfig(AppConfig):
    name = "boxoffice"
    verbose_name = _("Box office")
