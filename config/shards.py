"""How further databases are named in one variable: ``north=postgres://… south=postgres://…``."""

from __future__ import annotations

import re

from config.acceptable import address

_ALIAS = re.compile(r"[a-z][a-z0-9_]{0,30}")
_is_database = address("postgres", "postgresql", "psql", "pgsql", path=True)


def shards(text: str) -> dict[str, str]:
    """The address of each database by its alias, in the order of the text."""
    pairs = [part.partition("=") for part in text.split()]
    return {alias: url for alias, _, url in pairs}


def are_shards(text: str) -> bool:
    """Whether each part is an alias and an address, no alias comes twice, and none is that of DATABASE_URL."""
    parts = text.split()
    named = shards(text)
    return (
        len(named) == len(parts)
        and "default" not in named
        and all(_ALIAS.fullmatch(alias) and _is_database(url) for alias, url in named.items())
        and text.count("://") == len(parts)  # a comma between two would make one of them
    )
