"""Who buys, as typed into a form: a name in any script and a mail address, made safe to print and to send to."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from encodings.idna import nameprep

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.utils.translation import gettext as _

from boxoffice.errors import InvalidContact
from notifications.channels.email.compose import KEPT_SINCE_2008, mailbox
from notifications.channels.email.local_part import provider_takes_any_script
from notifications.errors import BadAddress

NAME_MAX_LENGTH = 200  # what fits on a ticket when it wraps, and the column
EMAIL_MAX_LENGTH = 254  # RFC 5321: a path of 256 with its angle brackets

# Characters that a name can do without and that break headers, lines or the direction of the text around it:
# controls, line and paragraph separators, lone surrogates, and the embedding, override and isolate marks.
# Joiners stay: Persian and Hindi names and emoji need them.
_FORBIDDEN_CATEGORIES = frozenset({"Cc", "Zl", "Zp", "Cs"})
_FORBIDDEN_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_VISIBLE = frozenset("LNPS")  # first letters of the categories that leave ink on paper

# Without Django's exception for "localhost": a ticket must reach somebody.
_is_address = EmailValidator(allowlist=[])
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
IN_ASCII = "xn--"  # what a part of a domain in other letters begins with in the DNS
_DOMAIN_LITERAL = re.compile(r"@\[[^\]]*\]$")


@dataclass(frozen=True)
class Contact:
    """A name and an address that passed ``clean_contact``."""

    name: str
    email: str


def clean_contact(*, name: str, email: str) -> Contact:
    """Return both cleaned, or raise InvalidContact with a sentence for each field that is wrong."""
    cleaned: dict[str, str] = {}
    wrong: dict[str, str] = {}
    for field, value, clean in (("name", name, clean_name), ("email", email, clean_email)):
        try:
            cleaned[field] = clean(value)
        except InvalidContact as error:
            wrong.update(error.fields)
    if wrong:
        raise InvalidContact(wrong)
    return Contact(name=cleaned["name"], email=cleaned["email"])


def clean_name(value: str) -> str:
    """Return the name trimmed and in normal form C. Raises InvalidContact (field ``name``)."""
    name = unicodedata.normalize("NFC", value.strip())
    if not any(unicodedata.category(character)[0] in _VISIBLE for character in name):
        raise InvalidContact({"name": _("Enter the name that should stand on the tickets.")})
    if any(_is_forbidden(character) for character in name):
        raise InvalidContact(
            {"name": _("The name contains a line break or an invisible control character. Type it in one line.")}
        )
    if len(name) > NAME_MAX_LENGTH:
        raise InvalidContact({"name": _("The name is too long. Shorten it to 200 characters.")})
    return name


def clean_email(value: str) -> str:
    """Return the address trimmed, its domain in lower case and in its own letters. Domains in any script are fine, and
    what stands before the @ as well where the mail provider takes it.

    Raises InvalidContact (field ``email``).
    """
    email = unicodedata.normalize("NFC", value.strip())
    if not email:
        raise InvalidContact({"email": _("Enter the e-mail address that the tickets should go to.")})
    if any(_is_forbidden(character) or character.isspace() for character in email):
        raise InvalidContact({"email": _("The e-mail address contains a space or a line break. Remove it.")})
    local, at, domain = email.rpartition("@")
    if email.count("@") > 1 or "," in email or ";" in email:
        raise InvalidContact({"email": _("Enter one e-mail address only, such as name@example.org.")})
    if not at or not _is_deliverable(local=local, domain=domain):
        raise InvalidContact({"email": _("This is not a complete e-mail address. Enter it like name@example.org.")})
    if not local.isascii() and not provider_takes_any_script():
        raise InvalidContact(
            {"email": _("We cannot send mail to letters such as ä or я before the @. Enter another address of yours.")}
        )
    if len(email) > EMAIL_MAX_LENGTH:
        raise InvalidContact({"email": _("The e-mail address is too long. Use one of up to 254 characters.")})
    return f"{local}@{'.'.join(map(_plain, domain.split('.')))}"


def _plain(label: str) -> str:
    """A part of a domain as the DNS reads it: wide and capital letters plain, invisible ones gone, ``xn--`` as letters.

    Otherwise one mailbox would be as many buyers, and get as many mails, as it has spellings.
    """
    plain = nameprep(label) if KEPT_SINCE_2008.isdisjoint(label) else label.lower()
    return _in_letters(plain) if plain.startswith(IN_ASCII) else plain


def _in_letters(label: str) -> str:
    """What stands behind ``xn--``, where it leads back to this very label; else the label as it is."""
    try:
        letters = label.removeprefix(IN_ASCII).encode("ascii").decode("punycode")
        leads_back = mailbox(name="", address=f"x@{letters}").domain == label
    except (UnicodeError, BadAddress):
        return label
    is_fit = not any(_is_forbidden(character) or character.isspace() for character in letters)
    return letters if leads_back and is_fit and not letters.isascii() else label


def _is_forbidden(character: str) -> bool:
    return unicodedata.category(character) in _FORBIDDEN_CATEGORIES or character in _FORBIDDEN_MARKS


def _is_deliverable(*, local: str, domain: str) -> bool:
    """Whether mail servers on the open internet take the address: no quoted part, no bare host, no IP number.

    What passes here the mailer takes too: an address that is refused once the seats are sold reaches nobody.
    """
    if local.startswith('"') or _DOMAIN_LITERAL.search(f"@{domain}"):
        return False
    try:
        _is_address(f"{_BEYOND_ASCII.sub('x', local)}@{domain}")  # Django knows ASCII alone before the @
        mailbox(name="", address=f"{local}@{domain}")
    except (ValidationError, BadAddress):
        return False
    return True
