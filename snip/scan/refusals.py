"""Why a target is refused, in words for whoever made the link."""

from __future__ import annotations

from enum import Enum

from django.utils.translation import gettext, gettext_noop


class Reason(Enum):
    """Each member's name is what tests and logs say, its value what the promoter reads, in English."""

    EMPTY = gettext_noop("There is no address.")
    TOO_LONG = gettext_noop("The address is too long. Use a shorter one of the same page.")
    WHITESPACE = gettext_noop(
        "There is a space or a line break in the address. Copy it again, without anything around it."
    )
    CONTROL = gettext_noop("There is a character in the address that cannot be seen. Copy it again from the browser.")
    BACKSLASH = gettext_noop("There is a backslash in the address. Addresses have forward slashes only.")
    FORBIDDEN = gettext_noop(
        "There is a character in the address that belongs into none: a quote, a bracket, a grave accent."
    )
    SCHEME = gettext_noop("The address must begin with https:// or http://.")
    CREDENTIALS = gettext_noop(
        "There is an @ before the page's path. An address with a user name in it misleads people."
    )
    PORT = gettext_noop("The address names a port. Only the usual one of https:// or http:// is taken.")
    HOST = gettext_noop("This is no name of a site.")
    NUMBER = gettext_noop("The address has a number where the site's name belongs. Use the name.")
    NOT_PUBLIC = gettext_noop("The address leads into a private network, where the public cannot follow.")
    LOCAL_NAME = gettext_noop("This name exists inside of a private network only, where the public cannot follow.")
    BAD_IDN = gettext_noop("The site's name is written in a form that is no valid name.")
    LOOKALIKE = gettext_noop(
        "The site's name has letters that look like others. People could take it for another site."
    )
    SHORT_LINK = gettext_noop("This is a short link of ours. Link to the page itself.")
    BLOCKED = gettext_noop("Links to this site are blocked. If that is wrong, write to the box office.")
    NO_SUCH_SITE = gettext_noop("There is no site of this name. Look whether it is spelt correctly.")
    CERTIFICATE = gettext_noop("The site's certificate is not valid, and browsers would warn of it.")
    NO_ANSWER = gettext_noop("The site gave no answer, time and again. Look whether it opens, then save the link anew.")
    NOT_FOUND = gettext_noop("There is no page at this address. Open it in a browser and look.")
    TOO_MANY_REDIRECTS = gettext_noop(
        "The address leads on from page to page too often. Link to the page where it ends."
    )
    REDIRECT_LOOP = gettext_noop("The address leads back to itself. Link to a page that opens.")
    UNCLEAR = gettext_noop("It cannot be told where the address leads on to. Link to the page where it ends.")


LEADS_ON = gettext_noop("The address leads on to another one, which is refused.")


class Refused(Exception):
    """This target may not go live. ``reason`` says why; ``hop`` counts the redirects that led to it, 0 for none."""

    def __init__(self, reason: Reason, *, hop: int = 0) -> None:
        super().__init__(reason.name)
        self.reason = reason
        self.hop = hop

    def in_english(self) -> str:
        """The sentence that is kept in the link's row; ``in_words`` translates it for whoever reads it."""
        on_its_own = self.hop == 0 or self.reason in (Reason.TOO_MANY_REDIRECTS, Reason.REDIRECT_LOOP)
        return self.reason.value if on_its_own else f"{LEADS_ON} {self.reason.value}"


def in_words(kept: str) -> str:
    """A kept refusal in the language that is active; anything else as it is."""
    if not kept.startswith(f"{LEADS_ON} "):
        return gettext(kept) if kept else ""
    return f"{gettext(LEADS_ON)} {gettext(kept.removeprefix(LEADS_ON).strip())}"
