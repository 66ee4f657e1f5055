"""What the box office shows in the admin, one module for each thing. They present, and call services."""

from boxoffice.admin import audit, holds, orders, sales, users

__all__ = ["audit", "holds", "orders", "sales", "users"]
