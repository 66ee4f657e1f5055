"""Why something about a link was refused. Each error's docstring is its message and tells staff what to do."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_noop

from jobs.errors import PermanentError


class LinkError(PermanentError):
    __doc__ = gettext_noop("This is not possible. Load the page again and try once more.")
    status_code = 409

    def __init__(self, message: str = "") -> None:
        super().__init__(message or gettext(self.__doc__ or ""))


class LinkChangedMeanwhile(LinkError):
    __doc__ = gettext_noop("The link was changed or blocked meanwhile; nothing was changed. Look at it again.")


class NotBlockable(LinkError):
    __doc__ = gettext_noop("The link is blocked or deleted already; nothing was changed.")


class NotBlocked(LinkError):
    __doc__ = gettext_noop("The link is not blocked any more; nothing was changed.")


class LinksMadeAlready(LinkError):
    __doc__ = gettext_noop("This was sent before; it was made once.")


class LinkDeleted(LinkError):
    __doc__ = gettext_noop("The link was deleted already; nothing was changed.")


class AliasTaken(LinkError):
    __doc__ = gettext_noop("This word is or was a link's. Choose another one: no word ever leads somewhere else.")


class InvalidAlias(LinkError):
    __doc__ = gettext_noop("Choose a word of 3 to 32 letters without accents, digits and hyphens.")
    status_code = 422


class ReservedAlias(InvalidAlias):
    __doc__ = gettext_noop("This word is kept for the site itself. Choose another one.")


class TooManyAliases(LinkError):
    __doc__ = gettext_noop("A link has 10 chosen words at most.")


class NotRetirable(LinkError):
    __doc__ = gettext_noop("This word was retired already; nothing was changed.")


class InvalidTarget(LinkError):
    __doc__ = gettext_noop("This is no address of a web page. It begins with https:// or http:// and names a host.")
    status_code = 422


class TargetTooLong(InvalidTarget):
    __doc__ = gettext_noop("This address is longer than 2,000 characters. Many programs would cut it.")


class TargetIsALink(InvalidTarget):
    __doc__ = gettext_noop("This is a short link itself. Enter the address that it leads to.")


class ExpiresInThePast(LinkError):
    __doc__ = gettext_noop("This instant is over already. Choose a later one, or none.")
    status_code = 422
