"""Logging a device in for a night.

With a password alone: a telephone cannot be handed from one steward to the next with the device, and the login opens
nothing but the door. Who works at the desk may use the door with his own login, second factor and all.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from boxoffice.roles.halfway import halfway_user, works_at_the_desk
from boxoffice.roles.next_page import next_page

NIGHT_SECONDS = 14 * 3600
"""From the set-up in the afternoon to the end of a late show. A device that is lost is logged out by morning."""


@method_decorator(never_cache, name="dispatch")
class DoorLogin(LoginView):
    """The login of the door; staff who are logged in already may use the door with that."""

    template_name = "boxoffice/door/login.html"
    next_page = "door"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The form; who works at the desk as well, and has to prove it twice, goes on to the second factor."""
        if halfway_user(request) is not None:
            return HttpResponseRedirect(next_page(request, "admin:second_factor", otherwise="door"))
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        if not works_at_the_desk(form.get_user()):  # theirs ends sooner, see boxoffice/roles/time_out.py
            self.request.session.set_expiry(NIGHT_SECONDS)
        return response


door_login = DoorLogin.as_view()
door_logout = LogoutView.as_view(next_page="door_login")
