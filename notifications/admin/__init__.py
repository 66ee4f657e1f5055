"""Notifications, suppressed addresses and browsers that listen, for staff."""

from notifications.admin import notifications, push_subscriptions, suppressions

__all__ = ["notifications", "push_subscriptions", "suppressions"]
