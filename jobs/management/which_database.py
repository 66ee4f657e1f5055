"""The option with which a command is told on which database it works: each has a ledger of its own."""

from __future__ import annotations

from argparse import ArgumentParser

from django.db import DEFAULT_DB_ALIAS, connections


def add_database_option(parser: ArgumentParser, *, help: str) -> None:
    """Let the command take ``--database ALIAS``; an alias that the settings do not know is refused, with a list."""
    parser.add_argument("--database", default=DEFAULT_DB_ALIAS, choices=tuple(connections), metavar="ALIAS", help=help)
