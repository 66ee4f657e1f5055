"""Why there is no export."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError


class ExportRefused(BoxOfficeError):
    __doc__ = gettext_noop("This login may not export that. Ask an operator for the right to.")
    status_code = 403


class ExportGone(BoxOfficeError):
    __doc__ = gettext_noop("The file is not there any more. Ask for it once more.")
    status_code = 404


class ExportUnread(BoxOfficeError):
    __doc__ = gettext_noop("The file cannot be read at the moment. Try again in a minute.")
    status_code = 503
