"""Every provider that jobs call, in one table. A task that calls somebody stands in it."""

from config.environment import read
from jobs.destinations import Destination

BELOW = 0.99
"""Of what a provider takes, so much is sent. What comes a hundredth of a second late is then not above its limit."""


def _rate(taken: int) -> float | None:
    """Calls in a second to a provider that takes so many; None for 0, which means that it sets no limit."""
    return BELOW * taken if taken else None


DESTINATIONS = (
    Destination(
        "mail",
        purpose="The mail server, or the ESP.",
        tasks=("boxoffice.send_message", "boxoffice.send_bulk"),
        timeout_seconds=read("EMAIL_TIMEOUT_SECONDS"),
        rate_per_second=_rate(read("MAIL_RATE_PER_SECOND")),
        limit_per_second=read("MAIL_RATE_PER_SECOND") or None,
    ),
    Destination(
        "push",
        purpose="The push services of browsers.",
        tasks=("boxoffice.send_push",),
        timeout_seconds=10,
        rate_per_second=_rate(read("PUSH_RATE_PER_SECOND")),
        limit_per_second=read("PUSH_RATE_PER_SECOND") or None,
    ),
    Destination(
        "payments",
        purpose="The payment provider.",
        tasks=(
            "boxoffice.settle_payment",
            "boxoffice.send_refund",
            "boxoffice.ask_about_refund",
            "boxoffice.take_dispute",
            "boxoffice.read_balance",
        ),
        timeout_seconds=10,
    ),
    Destination(
        "refunds",
        # The same provider by a name of its own: its rate is less than all that the provider takes, and payments and
        # single refunds neither wait for it nor count in it.
        purpose="The payment provider, for the refunds of cancelled shows.",
        tasks=("boxoffice.send_mass_refund", "boxoffice.ask_for_balance"),
        share=0.5,
        timeout_seconds=10,
        rate_per_second=_rate(read("PAYMENTS_RATE_PER_SECOND")),
        limit_per_second=read("PAYMENTS_RATE_PER_SECOND") or None,
    ),
    Destination(
        "link_targets",
        purpose="The sites that tracked links lead to.",
        tasks=("snip.scan_link", "snip.check_again"),
        # Each job asks somebody else. A few sites that answer slowly keep a quarter of the workers, and only when
        # nobody at all answers is it the way out of here that is gone.
        share=0.25,
        failures_to_open=50,
        timeout_seconds=20,
    ),
)
