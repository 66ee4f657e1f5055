"""What the box office shows in the admin, one module for each thing. They present, and call services."""

from boxoffice.admin import (
    attention,
    audit,
    blocked_sites,
    clicks,
    exports,
    holds,
    links,
    orders,
    reconciliation,
    sales,
    shows,
    users,
)

__all__ = [
    "attention",
    "audit",
    "blocked_sites",
    "clicks",
    "exports",
    "holds",
    "links",
    "orders",
    "reconciliation",
    "sales",
    "shows",
    "users",
]
