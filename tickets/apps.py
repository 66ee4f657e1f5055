from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _


class TicketsConfig(AppConfig):
    name = "tickets"
    verbose_name = _("Tickets")

    def ready(self) -> None:
        from tickets.checks import fonts_are_here, signing_keys_work

        register(signing_keys_work)
        register(fonts_are_here)
