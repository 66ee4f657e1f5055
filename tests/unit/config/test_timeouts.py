"""What the table says of time-outs is what the calls wait."""

from __future__ import annotations

from django.conf import settings

from boxoffice.payments import provider
from config.destinations import DESTINATIONS
from notifications.channels.push import send
from snip.scan.policy import Policy


def test_the_table_of_providers_says_how_long_their_calls_wait() -> None:
    timeouts = {destination.name: destination.timeout_seconds for destination in DESTINATIONS}
    assert timeouts == {
        "mail": settings.EMAIL_TIMEOUT,
        "push": send.TIMEOUT,
        "payments": provider.READ_SECONDS,
        "refunds": provider.READ_SECONDS,
        "link_targets": Policy().seconds,
    }
