"""``python -m notifications.channels.push.new_key`` draws a private key for VAPID_PRIVATE_KEY and prints it."""

from __future__ import annotations

import base64

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key


def new_key() -> str:
    """32 bytes in base64 for URLs, without padding."""
    number = generate_private_key(SECP256R1()).private_numbers().private_value
    return base64.urlsafe_b64encode(number.to_bytes(32)).rstrip(b"=").decode("ascii")


if __name__ == "__main__":
    print(new_key())  # noqa: T201
