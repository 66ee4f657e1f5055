"""What is refused about logins."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError


class NotYourOwn(BoxOfficeError):
    __doc__ = gettext_noop("Your own second factor is reset by somebody else: ask another operator.")


class SuperusersOnly(BoxOfficeError):
    __doc__ = gettext_noop("This login may do everything: only another one that may can reset its second factor.")


class NoSecondFactor(BoxOfficeError):
    __doc__ = gettext_noop("This login has no second factor. Nothing was changed.")


class NotLocked(BoxOfficeError):
    __doc__ = gettext_noop("No failed attempts of this login are known. Nothing was changed.")
