"""The settings of ``make bench-pools``: mails may have every place of a worker, so that nothing but places counts."""

from dataclasses import replace

# ruff: noqa: F403
from bench.mail_settings import *
from bench.mail_settings import LEDGER_DESTINATIONS

LEDGER_DESTINATIONS = tuple(  # type: ignore[assignment]
    replace(destination, share=1.0) for destination in LEDGER_DESTINATIONS
)
