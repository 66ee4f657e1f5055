"""What the admin's lists need to be read on a telephone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

register = template.Library()


@register.filter
def with_heads(cells: Iterable[str], heads: Iterable[Mapping[str, Any]]) -> list[SafeString]:
    """The cells of a row, each ``<td>`` with its column's head as ``data-label``. The row's own head needs none."""
    return [_with_head(cell, head) for cell, head in zip(cells, heads, strict=False)]


def _with_head(cell: str, head: Mapping[str, Any]) -> SafeString:
    # Django writes the cells, and nothing of a row's stands before their own tag. The box to tick has a head of HTML.
    if not cell.startswith("<td") or cell.startswith('<td class="action-checkbox"'):
        return mark_safe(cell)  # noqa: S308
    return mark_safe(f'<td data-label="{conditional_escape(capfirst(str(head["text"])))}"{cell[3:]}')  # noqa: S308
