"""``{{ order.money|money }}``, ``{{ tier.price|money:show.currency }}`` and the same as ``price``."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext as _

from inventory.money import Money

register = template.Library()


@register.filter
def money(value: Money | int | None, currency: str = "") -> str:
    """The amount in figures for the active language; nothing stays nothing."""
    if value is None:
        return ""
    return str(value if isinstance(value, Money) else Money(value, currency))


@register.filter
def price(value: Money | int | None, currency: str = "") -> str:
    """As ``money``, but what costs nothing reads "free"."""
    if value is None:
        return ""
    amount = value if isinstance(value, Money) else Money(value, currency)
    return str(amount) if amount else _("free")
