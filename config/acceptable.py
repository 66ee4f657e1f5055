"""What a variable's text must look like: each takes the text and says whether it can be used. Pure.

Only what is sure to be wrong is refused. Whether a server answers at an address, its first user finds out.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from email.utils import parseaddr
from urllib.parse import SplitResult, urlsplit

Check = Callable[[str], bool]

_RATE = r"[0-9]+(?:\.[0-9]{1,6})?%(?:\+[0-9]+(?:\.[0-9]{1,3})?)?"
_FEE = re.compile(rf"[A-Z]{{3}}={_RATE}(?:\.\.{_RATE})?")
_YES_OR_NO = {"true", "on", "ok", "y", "yes", "1", "false", "off", "n", "no", "0"}
SIGNING_KEY_BYTES = 32
EVENT_KEY_BYTES = 16  # those of Svix, which signs for Resend, have 24
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def anything(text: str) -> bool:
    """Every text will do."""
    return True


def yes_or_no(text: str) -> bool:
    """Words that mean one or the other. Any other word would silently mean "no"."""
    return text.strip().lower() in _YES_OR_NO


def one_of(*words: str) -> Check:
    """Exactly one of these words."""
    return lambda text: text in words


def at_least(least: int) -> Check:
    """A whole number that is not smaller."""
    return lambda text: re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) is not None and int(text) >= least


def between(least: int, most: int) -> Check:
    """A whole number from ``least`` to ``most``."""
    return lambda text: at_least(least)(text) and int(text) <= most


def bearer(*, characters: int) -> Check:
    """A secret that nobody guesses soon, and that a header carries as it is: no spaces, and nothing beyond ASCII."""
    return lambda text: len(text) >= characters and re.fullmatch(r"[!-~]+", text) is not None


def address(*schemes: str, path: bool = False) -> Check:
    """A URL of one of these schemes, with a host or, as for sockets, a path; with ``path``, never without one."""

    def check(text: str) -> bool:
        parts = _split(text)
        if parts is None or parts.scheme not in schemes:
            return False
        return len(parts.path) > 1 if path else bool(parts.hostname or len(parts.path) > 1)

    return check


def mail_provider(text: str) -> bool:
    """An SMTP server, or an ESP with its key; without TLS only on this machine."""
    parts = _split(text)
    if parts is None or not parts.scheme.startswith("resend"):
        return address("smtp", "smtps", "smtp+tls", "smtp+ssl")(text)
    has_key = bool(parts.hostname and parts.username and not parts.password and not parts.query + parts.fragment)
    return has_key and (parts.scheme == "resend" or (parts.scheme == "resend+http" and parts.hostname == "127.0.0.1"))


def addresses(*schemes: str) -> Check:
    """As ``address``, and several of them parted by semicolons: the nodes of a cluster."""
    one = address(*schemes)
    return lambda text: all(one(part) for part in text.split(";"))


def site(text: str) -> bool:
    """The address of a web site: scheme, host, perhaps port and path, and nothing after that."""
    parts = _split(text)
    return bool(parts and parts.scheme in {"http", "https"} and parts.hostname and not parts.query + parts.fragment)


def safe_site(text: str) -> bool:
    """As ``site``, and over TLS unless it is this machine: secrets and money travel there."""
    parts = _split(text)
    return site(text) and bool(parts and (parts.scheme == "https" or parts.hostname in {"127.0.0.1", "::1"}))


def fees(text: str) -> bool:
    """What a payment provider may take, each currency once: ``boxoffice/reconciliation/fees.py`` reads it."""
    words = text.split()
    return len({word[:3] for word in words}) == len(words) and all(map(_FEE.fullmatch, words))


def beginning(*words: str) -> Check:
    """A secret of one kind, known by how it begins, in one piece of ASCII."""
    return lambda text: text.startswith(words) and re.fullmatch(r"[!-~]{12,}", text) is not None


def event_secret(text: str) -> bool:
    """What signs an ESP's events: ``whsec_`` and the key itself in base64. An empty or a short one protects nothing."""
    encoded = text.removeprefix("whsec_")
    try:
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return text.startswith("whsec_") and len(key) >= EVENT_KEY_BYTES


def sender(text: str) -> bool:
    """A mail address with or without a name, in one line, at a domain that mails can come from."""
    local, _at, domain = parseaddr(text)[1].rpartition("@")
    try:
        labels = domain.encode("idna").decode("ascii").split(".")
    except UnicodeError:
        return False
    is_domain = all(re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", label, re.IGNORECASE) for label in labels)
    return text.isprintable() and is_domain and re.fullmatch(r"[^@\s]+", local) is not None


def signing_keys(text: str) -> bool:
    """Keys of 32 bytes in base64, parted by commas."""
    try:
        return all(len(base64.b64decode(key.strip(), validate=True)) == SIGNING_KEY_BYTES for key in text.split(","))
    except (binascii.Error, ValueError):
        return False


def push_key(text: str) -> bool:
    """A private key of the curve P-256: a number of 32 bytes in base64 for URLs, not 0 and below the curve's order."""
    try:
        number = base64.b64decode(text + "=", altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return False
    return len(number) == 32 and 0 < int.from_bytes(number) < P256_ORDER


def contact(text: str) -> bool:
    """A mail address after ``mailto:``, or a page over TLS, in one piece: what VAPID takes."""
    return re.fullmatch(r"mailto:[^@\s<>]+@[^@\s<>]+\.[^@\s<>.]+|https://[^/\s]+\.[^\s]+", text) is not None


def push_services(text: str) -> bool:
    """Host names in small letters, below any of which ``*.`` may stand, or sites of this machine; by commas.

    A name without a dot or a number would be an address inside our own network.
    """
    host = r"(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?"
    stand_in = r"http://127\.0\.0\.1:[1-9][0-9]{1,4}"
    return all(re.fullmatch(f"{host}|{stand_in}", part) for part in text.split(","))


def _split(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  (it is read only now, and may be no number)
    except ValueError:
        return None
    return None if re.search(r"\s", text) else parts
