"""Whether what somebody typed is the name of a show, as people compare names and not as computers do."""

from __future__ import annotations

import re
import unicodedata

# A plain keyboard has one apostrophe, one quote and one hyphen; whoever set the title had all of them. Quotes may be
# typed as apostrophes, and a dash as two hyphens.
_QUOTES = re.compile("[\"'`\u00b4\u2018-\u201f\u2032-\u2036\u2039\u203a\u00ab\u00bb\u02b9-\u02bc\u02c8\uff02\uff07]+")
_MINUS = "\u2212"


def is_name(typed: str, *, title: str) -> bool:
    """Whether ``typed`` names the show of this title: without regard to capitals and spaces, to which apostrophes,
    quotes and dashes it has, to how a keyboard composes its letters, and to marks that nobody sees, as those of
    direction that come along with a copied name.
    """
    return _plain(typed) == _plain(title)


def _plain(name: str) -> str:
    # Before they are composed: that makes of an acute accent a space with another mark.
    quotes = _QUOTES.sub("'", name)
    seen = "".join(sign for sign in unicodedata.normalize("NFKC", quotes) if unicodedata.category(sign) != "Cf")
    dashes = "".join("-" if sign == _MINUS or unicodedata.category(sign) == "Pd" else sign for sign in seen)
    return unicodedata.normalize("NFKC", " ".join(re.sub("-+", "-", dashes).split()).casefold())
