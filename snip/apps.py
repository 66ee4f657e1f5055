from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SnipConfig(AppConfig):
    name = "snip"
    verbose_name = _("Links")
