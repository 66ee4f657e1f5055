"""``manage.py seed_staff``: the logins of the support desk and of the door, for a demo or a first start."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser, Group
from django.core.management.base import BaseCommand, CommandParser

from boxoffice.roles.make_groups import make_groups
from boxoffice.roles.table import DOOR, ROLES

DESK_ROLES = tuple(role for role in ROLES if role != DOOR)


class Command(BaseCommand):
    help = "Creates the staff login, or sets its password again. Without --password one is drawn and printed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--username", default="staff")
        parser.add_argument("--password", default="", help="drawn at random when left out")
        parser.add_argument("--door-password", default="", help="creates the login “door”, which may scan tickets only")
        parser.add_argument(
            "--role-password",
            default="",
            help="creates a login for each role at the desk, named for it: " + ", ".join(map(str.lower, DESK_ROLES)),
        )

        parser.add_argument(
            "--mail-domain",
            default="",
            help="gives logins of the desk without a mail address LOGIN@this, where exports tell that they are ready",
        )

    def handle(
        self,
        *args: Any,
        username: str,
        password: str,
        door_password: str,
        role_password: str,
        mail_domain: str,
        **options: Any,
    ) -> None:
        password = password or secrets.token_urlsafe(12)
        self._mail_domain = mail_domain
        self._login(username, password, told="staff login", is_staff=True, is_superuser=True)
        make_groups()
        if door_password:
            self._login("door", door_password, told="door's login", role=DOOR)
        if role_password:
            for role in DESK_ROLES:
                self._login(role.lower(), role_password, told=f"login of the role {role}", role=role, is_staff=True)

    def _login(self, username: str, password: str, *, told: str, role: str = "", **flags: bool) -> None:
        """One login that works with this password. flags: what else it is; a flag is never taken away."""
        user: AbstractUser
        user, created = get_user_model().objects.get_or_create(username=username)
        for flag, value in {"is_active": True, **flags}.items():
            setattr(user, flag, value)
        if user.is_staff and self._mail_domain and not user.email:
            user.email = f"{username}@{self._mail_domain}"
        if not user.check_password(password):
            user.set_password(password)  # a new hash of the same one would log everybody out
        user.save()
        if role:
            user.groups.add(Group.objects.get(name=role))
        self.stdout.write(f"{'Created' if created else 'Updated'} the {told}: {username} / {password}")
