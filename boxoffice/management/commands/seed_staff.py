"""``manage.py seed_staff``: the login of the support desk for a demo or a first start."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    help = "Creates the staff login, or sets its password again. Without --password one is drawn and printed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--username", default="staff")
        parser.add_argument("--password", default="", help="drawn at random when left out")

    def handle(self, *args: Any, username: str, password: str, **options: Any) -> None:
        password = password or secrets.token_urlsafe(12)
        user, created = get_user_model().objects.get_or_create(username=username)
        user.is_active = user.is_staff = user.is_superuser = True
        user.set_password(password)
        user.save()
        self.stdout.write(f"{'Created' if created else 'Updated'} the staff login: {username} / {password}")
