"""Fans' names and addresses in templates: ``{{ order.name|name_for:user }}``."""

from __future__ import annotations

from typing import Any

from django import template

from jobs import personal

register = template.Library()


@register.filter
def name_for(name: str, user: Any) -> str:
    """The name, or its initials for a user who may not see it."""
    return personal.name_for(user, name)


@register.filter
def address_for(address: str, user: Any) -> str:
    """The address, or what tells two of them apart for a user who may not see it."""
    return personal.address_for(user, address)


@register.filter
def text_for(text: str, user: Any) -> str:
    """The text, without addresses and numbers for a user who may not see them."""
    return personal.text_for(user, text)
