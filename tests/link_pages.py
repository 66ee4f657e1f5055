"""The pages of links at the desk, and what their form sends."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.urls import reverse

from snip.models import Link

LIST, ADD, IMPORT = "admin:snip_link_changelist", "admin:snip_link_add", "admin:snip_link_import"


def page(name: str, link: Link) -> str:
    return reverse(f"admin:snip_link_{name}", args=[link.pk])


def form(link: Link | None = None, **changed: Any) -> dict[str, Any]:
    given = {"target": "https://example.org/new", "label": "", "alias": "", "expires": "", "show": ""}
    seen = {"seen": link.version} if link else {"number": uuid4()}
    return {**given, **seen, **changed}
