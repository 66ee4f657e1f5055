"""``manage.py prove_takings``: the takings of the dashboard against the orders, exactly."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from boxoffice.sales.prove_takings import Difference, prove_takings
from inventory.money import Money


class Command(BaseCommand):
    help = (
        "Compares the takings of every show with its orders. Shows that wait to be counted are left out. The status is "
        "1 when something differs that was not repaired."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="count the shows anew that differ")

    def handle(self, *, repair: bool, **options: Any) -> None:
        proof = prove_takings(repair=repair)
        for difference in proof.differences:
            self.stdout.write(_in_words(difference))
        for show_id, currency, amount in proof.unlike:
            self.stdout.write(
                f"show {show_id}: lines cost {Money(amount, currency)} more than the totals of their orders say"
            )
        self.stdout.write(
            f"shows={proof.shows} waiting={proof.waiting} differ={len({each.show_id for each in proof.differences})} "
            f"repaired={proof.repaired} unlike={len(proof.unlike)}"
        )
        if proof.unlike or (proof.differences and not repair):
            raise CommandError("The takings are not those of the orders." + ("" if repair else " Try --repair."))


def _in_words(difference: Difference) -> str:
    gross, refunded = (Money(each, difference.currency) for each in (difference.gross, difference.refunded))
    return (
        f"show {difference.show_id}: {difference.rows} rows differ; too many seats sold: {difference.sold}, given "
        f"back: {difference.given_back}; too much gross: {gross}, refunded: {refunded}"
    )
