"""From an address to one that is written in its answer. Pure.

``urljoin`` and browsers disagree about some texts, and whoever writes such a one means to show us another page than
people. So those are refused here, and everything else means the same to both.
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

from snip.scan.refusals import Reason, Refused

# Browsers pass over all of the slashes and go to the host behind them; urljoin stays at the site.
_MANY_SLASHES = re.compile(r"(?:https?:)?/{3}", re.I)

_AROUND = "".join(map(chr, range(0x21)))
"""What browsers take away at both ends: controls and blanks."""


def join(address: str, onwards: str) -> str:
    """The whole address of what ``onwards`` says at ``address``. Raises Refused, one hop behind ``address``."""
    said = onwards.strip(_AROUND)
    if any(sign in said for sign in "\t\r\n"):  # browsers and urljoin take them out, an unfolded header does not
        raise Refused(Reason.WHITESPACE, hop=1)
    if _MANY_SLASHES.match(said):
        raise Refused(Reason.UNCLEAR, hop=1)
    try:
        return urljoin(address, said)
    except ValueError:  # brackets that hold no address
        raise Refused(Reason.HOST, hop=1) from None
