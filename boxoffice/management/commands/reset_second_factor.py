"""``manage.py reset_second_factor``: for when nobody is left at the desk who could."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from boxoffice.roles.second_factor.reset import forget_second_factor
from jobs.errors import JobsError


class Command(BaseCommand):
    help = "Forgets telephone and recovery codes of a login, which sets up others after its next password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("login")
        parser.add_argument("--by", required=True, help="who does it")
        parser.add_argument("--reason", required=True, help="why")

    def handle(self, *args: Any, login: str, by: str, reason: str, **options: Any) -> None:
        user = get_user_model().objects.filter(username=login).first()
        if user is None:
            raise CommandError("There is no login of this name.")
        try:
            forget_second_factor(user=user, by=by, reason=reason)
        except JobsError as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"The second factor of {login} was reset. It is set up anew after the next password.")
