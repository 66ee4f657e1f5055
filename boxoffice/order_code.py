"""The two names of an order: the code that people read to each other, and the secret in its page's address."""

from __future__ import annotations

import secrets

# Without 0, O, 1 and I, which are taken for each other, and without vowels, so that no code spells a word.
ALPHABET = "23456789BCDFGHJKLMNPQRSTVWXYZ"
CODE_LENGTH = 8  # 5 · 10^11 codes: with a million orders one draw in 500,000 meets an old one and is repeated
TOKEN_BYTES = 24  # 192 bits: nobody finds a page by trying


def draw_code() -> str:
    """A random order code such as ``7KQ2MXW4``. It names an order and opens nothing."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def draw_token() -> str:
    """A random secret of 32 characters that are safe in an address. Whoever knows it sees the order's page."""
    return secrets.token_urlsafe(TOKEN_BYTES)
