"""A ticket's code: eight characters that people can read aloud, type and sort out by eye.

40 random bits in Crockford's base 32 (no I, L, O or U). The code names a ticket, it does not prove one: proof is the
signature in the QR code.
"""

from __future__ import annotations

import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 8
SIZE = 5  # bytes: eight characters of five bits

_LOOKALIKES = str.maketrans({"O": "0", "I": "1", "L": "1", "-": "", " ": ""})


def new_code() -> str:
    """A random code. Two may meet by chance, so whoever stores it must be ready to draw again."""
    return from_bytes(secrets.token_bytes(SIZE))


def grouped(code: str) -> str:
    """``K7QM2XWD`` as ``K7QM-2XWD``, the way it is printed."""
    return f"{code[:4]}-{code[4:]}"


def typed(text: str) -> str:
    """What somebody typed, as a code: any case, with or without the dash, letters that look like figures mended."""
    return text.strip().upper().translate(_LOOKALIKES)


def to_bytes(code: str) -> bytes:
    """The five bytes of a code. Raises ValueError when it is none."""
    if len(code) != LENGTH:
        raise ValueError(f"A ticket code has {LENGTH} characters.")
    number = 0
    for character in code:
        number = number << 5 | ALPHABET.index(character)
    return number.to_bytes(SIZE, "big")


def from_bytes(data: bytes) -> str:
    """The code of five bytes."""
    number = int.from_bytes(data, "big")
    return "".join(ALPHABET[number >> shift & 31] for shift in range(5 * (LENGTH - 1), -1, -5))
