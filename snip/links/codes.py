"""What may follow the slash of a short link: codes that are drawn, and words that people choose. Pure, but for chance.

Upper and lower case are the same: an address that is read from a poster is typed in either. All of them are kept in
lower case, and whoever looks one up folds what was typed.
"""

from __future__ import annotations

import re
import secrets

from snip.links.errors import InvalidAlias, ReservedAlias
from snip.models.link import MAX_CODE
from snip.redirect.own_paths import OWN_PATHS

ALPHABET = "23456789bcdfghjkmnpqrstvwxyz"
"""Without 0 and o, 1, i and l, which are taken for each other, and without vowels, so that no code spells a word."""

CODE_LENGTH = 7
"""28^7 are 1.3 · 10^10 codes, drawn by the system's source of chance. With a million links one guess in 13,000 meets
one, and none follows from another; what a link opens is public anyway, so that a guess gains nothing.
"""

MIN_ALIAS = 3

RESERVED = frozenset(
    (
        *(path.strip("/") for path in OWN_PATHS),
        # What a proxy before the redirect may answer itself, and what would pass for the house.
        *("about", "account", "admin", "api", "app", "assets", "boxoffice", "contact", "css", "data", "desk", "door"),
        *("favicon", "health", "help", "home", "imprint", "impressum", "index", "info", "legal", "livez"),
        *("login", "logout", "mail", "media", "new", "null", "orders", "privacy", "ready", "readyz"),
        *("robots", "security", "shows", "sitemap", "staff", "static", "status", "support", "terms", "test"),
        *("tickets", "undefined", "well-known", "www"),
    )
)

_ALIAS = re.compile(r"[a-z0-9](?:[a-z0-9]|-(?!-))*[a-z0-9]")


def draw_code() -> str:
    """A random code such as ``k7x2mqf``."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def clean_alias(text: str) -> str:
    """A chosen word as it is kept: in lower case, of ASCII letters, digits and single hyphens between them.

    Raises InvalidAlias, and ReservedAlias for a word of the site itself.
    """
    word = text.strip().lower()
    if not MIN_ALIAS <= len(word) <= MAX_CODE or not _ALIAS.fullmatch(word):
        raise InvalidAlias
    if word in RESERVED:
        raise ReservedAlias
    return word


def fold(code: str) -> str:
    """What was typed, as codes are kept."""
    return code.lower()
