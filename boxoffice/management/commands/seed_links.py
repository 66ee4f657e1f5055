"""``manage.py seed_links``: shows of his, links and clicks for the demo's promoter."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from boxoffice.links.seed_links import seed_links


class Command(BaseCommand):
    help = "Gives a promoter who has no links the next shows with room, links to them, and clicks of two weeks."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--username", default="promoter")

    def handle(self, *, username: str, **options: Any) -> None:
        promoter = get_user_model().objects.filter(username=username).first()
        if promoter is None:
            raise CommandError(f"There is no login {username}. Make it first, with manage.py seed_staff.")
        self.stdout.write(f"Links made: {seed_links(promoter=promoter)}")
