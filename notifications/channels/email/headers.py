"""Headers that are never folded.

``email`` folds a long word that holds no space by writing it as an encoded word (RFC 2047), which programs that look
for an address in angle brackets do not read: mails would lose the button that ends them. These headers stay on one
line, of which RFC 5322 allows 998 characters.
"""

from __future__ import annotations

from email.headerregistry import BaseHeader, HeaderRegistry, UnstructuredHeader
from email.policy import Policy

ON_ONE_LINE = ("list-unsubscribe", "list-unsubscribe-post")


class OneLineHeader(UnstructuredHeader, BaseHeader):
    """An ASCII value, written as it is."""

    max_count = 1

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


def header_registry() -> HeaderRegistry:
    """How each header is written: as ``email`` does, but for ON_ONE_LINE."""
    registry = HeaderRegistry()
    for name in ON_ONE_LINE:
        registry.map_to_type(name, OneLineHeader)
    return registry
