"""Why a change of a show was refused. Each error's docstring is its message and tells staff what to do."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError


class NothingPutAside(BoxOfficeError):
    __doc__ = gettext_noop(
        "None of these seats is free any more; nothing was changed. Look at the list of seats again."
    )


class ShowHasEnded(BoxOfficeError):
    __doc__ = gettext_noop(
        "This show is cancelled or over: this cannot be done about it any more. Nothing was changed."
    )


class NothingPutBack(NothingPutAside):
    __doc__ = gettext_noop("None of these seats is put aside any more; nothing was changed.")


class OfferRefused(BoxOfficeError):
    __doc__ = gettext_noop(
        "Money is offered back for shows that were moved or postponed, until later than was said. Nothing was changed."
    )


class TimeHasPassed(BoxOfficeError):
    __doc__ = gettext_noop("The time that this show had has passed. Move it to another one; nothing was changed.")
