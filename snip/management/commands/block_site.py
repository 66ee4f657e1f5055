"""``manage.py block_site HOST --why … --by …``: no link may lead to this site any more."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from jobs.errors import ReasonMissing
from snip.models import BlockedSite
from snip.scan.block_list import block_site, lift_block
from snip.scan.refusals import Refused


class Command(BaseCommand):
    help = (
        "Let no link lead to a site, nor to any name below it: new links are refused, and those that are served are "
        "looked at again within minutes. Without a site it prints the list."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("host", nargs="?", default="", help="the site's name, such as example.com")
        parser.add_argument("--why", default="", help="the reason, which is kept")
        parser.add_argument("--by", default="", help="who does it")
        parser.add_argument("--lift", action="store_true", help="take the site off the list")

    def handle(self, *, host: str, why: str, by: str, lift: bool, **_: Any) -> None:
        try:
            said = self._lift(host, why, by) if lift else self._block(host, why, by) if host else self._list()
        except Refused:
            raise CommandError(f"{host} is no name of a site, such as example.com.") from None
        except ReasonMissing:
            raise CommandError("Say who and why: both are kept. Use --why and --by.") from None
        self.stdout.write(said)

    def _block(self, host: str, why: str, by: str) -> str:
        with transaction.atomic():
            again = block_site(host=host, why=why, by=by)
        if again is None:
            return f"{host} is blocked already."
        return f"{host} is blocked. Served links that are looked at again for it: {again}."

    def _lift(self, host: str, why: str, by: str) -> str:
        with transaction.atomic():
            lifted = lift_block(host=host, why=why, by=by)
        return f"{host} is not blocked any more." if lifted else f"{host} was not blocked."

    def _list(self) -> str:
        rows = BlockedSite.objects.order_by("host").values_list("host", "added_at", "added_by", "why")
        return "\n".join(f"{name}  {at:%Y-%m-%d}  {who}: {reason}" for name, at, who, reason in rows) or "None."
