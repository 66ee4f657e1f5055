"""How much needs a human, for the header of each page of the desk."""

from __future__ import annotations

from typing import Any

from django import template

from boxoffice.attention.find_items import count_items
from boxoffice.attention.kinds import kinds_for

register = template.Library()


@register.simple_tag
def attention_count(user: Any) -> int:
    """How many items wait for somebody like this user. One query."""
    return sum(count for count, _free in count_items(kinds=kinds_for(user)).values())
