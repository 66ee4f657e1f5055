"""The checkout of a hold: its address, and who buys there."""

from __future__ import annotations

from inventory.models import Hold

ADA = {"name": "Ada Lovelace", "email": "ada@example.org"}


def address(hold: Hold) -> str:
    return f"/holds/{hold.token}/"
