"""Notifications and suppressed addresses, for staff."""

from notifications.admin import notifications, suppressions

__all__ = ["notifications", "suppressions"]
