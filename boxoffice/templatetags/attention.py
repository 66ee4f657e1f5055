"""How much needs a human, for the header of each page of the desk."""

from __future__ import annotations

from typing import Any

from django import template

from boxoffice.attention.find_items import MOST_IN_HEADER, count_items, sum_of
from boxoffice.attention.kinds import kinds_for

register = template.Library()


@register.simple_tag(takes_context=True)
def attention_count(context: Any, user: Any) -> str:
    """How many items wait for somebody like this user, or "" for none; "107+" where there are more.

    One query, unless the page has counted them.
    """
    counted = context.get("counted_attention")
    if counted is None:
        counted = sum_of(count_items(kinds=kinds_for(user), most=MOST_IN_HEADER).values())
    return str(counted) if counted.count else ""
