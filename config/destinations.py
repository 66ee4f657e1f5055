"""Every provider that jobs call, in one table. A task that calls somebody stands in it."""

from jobs.destinations import Destination

DESTINATIONS = (
    Destination("mail", purpose="The mail server.", tasks=("boxoffice.send_message",)),
    Destination("push", purpose="The push services of browsers.", tasks=("boxoffice.send_push",)),
    Destination(
        "payments",
        purpose="The payment provider.",
        tasks=("boxoffice.settle_payment", "boxoffice.send_refund", "boxoffice.ask_about_refund"),
    ),
)
