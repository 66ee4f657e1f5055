"""Small matters of presentation for the storefront's templates."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def one_line(text: str) -> str:
    """``{{ venue.address|one_line }}``: the lines of a text one after another, parted by commas."""
    return ", ".join(line.strip().rstrip(",") for line in text.splitlines() if line.strip())
