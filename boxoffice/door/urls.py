"""The addresses of the door."""

from __future__ import annotations

from django.urls import path

from boxoffice.door.login import door_login, door_logout
from boxoffice.door.pages import choose_show, door_of_show, door_state

urlpatterns = [
    path("door/", choose_show, name="door"),
    path("door/login/", door_login, name="door_login"),
    path("door/logout/", door_logout, name="door_logout"),
    path("door/<int:show_id>/", door_of_show, name="door_of_show"),
    path("door/<int:show_id>/state/", door_state, name="door_state"),
]
