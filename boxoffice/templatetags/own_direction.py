"""``{{ order.name|isolated }}``: see boxoffice/own_direction.py."""

from __future__ import annotations

from django import template

from boxoffice.own_direction import isolated

register = template.Library()
register.filter("isolated", isolated)
