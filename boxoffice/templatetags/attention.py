"""How much needs a human, for the header of each page of the desk."""

from __future__ import annotations

from typing import Any

from django import template

from boxoffice.attention.find_items import count_items
from boxoffice.attention.kinds import kinds_for

register = template.Library()


@register.simple_tag(takes_context=True)
def attention_count(context: Any, user: Any) -> int:
    """How many items wait for somebody like this user. One query, unless the page has counted them."""
    counted = context.get("counted_attention")
    if counted is None:
        counted = sum(count for count, _free in count_items(kinds=kinds_for(user)).values())
    return int(counted)
