"""Logging a device in for a night."""

from __future__ import annotations

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

NIGHT_SECONDS = 14 * 3600
"""From the set-up in the afternoon to the end of a late show. A device that is lost is logged out by morning."""


@method_decorator(never_cache, name="dispatch")
class DoorLogin(LoginView):
    """The login of the door; staff who are logged in already may use the door with that."""

    template_name = "boxoffice/door/login.html"
    next_page = "door"

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        self.request.session.set_expiry(NIGHT_SECONDS)
        return response


door_login = DoorLogin.as_view()
door_logout = LogoutView.as_view(next_page="door_login")
