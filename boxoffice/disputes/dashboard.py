"""Where the provider shows a dispute to people, who send the evidence there."""

from __future__ import annotations

from django.conf import settings

LIVE_API = "https://api.stripe.com"
_TEST_KEYS = ("sk_test_", "rk_test_")


def dashboard_page(*, provider_id: str) -> str:
    """The address of its page at the provider; at a stand-in's, where one answers the API."""
    if settings.STRIPE_API_BASE != LIVE_API:
        return f"{settings.STRIPE_API_BASE}/disputes/{provider_id}"
    part = "test/" if settings.STRIPE_API_KEY.startswith(_TEST_KEYS) else ""
    return f"https://dashboard.stripe.com/{part}disputes/{provider_id}"
