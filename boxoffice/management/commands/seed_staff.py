"""``manage.py seed_staff``: the logins of the support desk and of the door, for a demo or a first start."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.core.management.base import BaseCommand, CommandParser

DOOR_GROUP = "Door"


class Command(BaseCommand):
    help = "Creates the staff login, or sets its password again. Without --password one is drawn and printed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--username", default="staff")
        parser.add_argument("--password", default="", help="drawn at random when left out")
        parser.add_argument("--door-password", default="", help="creates the login “door”, which may scan tickets only")

    def handle(self, *args: Any, username: str, password: str, door_password: str, **options: Any) -> None:
        password = password or secrets.token_urlsafe(12)
        user, created = get_user_model().objects.get_or_create(username=username)
        user.is_active = user.is_staff = user.is_superuser = True
        _set_password(user, password)
        user.save()
        self.stdout.write(f"{'Created' if created else 'Updated'} the staff login: {username} / {password}")
        group = self._door_group()
        if door_password:
            self._door_login(group, password=door_password)

    def _door_group(self) -> Group:
        """Whoever is in it may open the door's pages, and nothing else by that."""
        group, _created = Group.objects.get_or_create(name=DOOR_GROUP)
        group.permissions.add(Permission.objects.get(content_type__app_label="tickets", codename="scan_ticket"))
        return group

    def _door_login(self, group: Group, *, password: str) -> None:
        user, created = get_user_model().objects.get_or_create(username="door")
        user.is_active = True
        _set_password(user, password)
        user.save()
        user.groups.add(group)
        self.stdout.write(f"{'Created' if created else 'Updated'} the door's login: door / {password}")


def _set_password(user: Any, password: str) -> None:
    """Left alone where it is the same: a new hash of it would log everybody out who is logged in."""
    if not user.check_password(password):
        user.set_password(password)
