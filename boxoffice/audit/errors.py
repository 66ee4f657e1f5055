"""What the audit trails refuse."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError


class TooRecentToErase(BoxOfficeError):
    __doc__ = gettext_noop("Entries of the audit trails are kept for 400 days at least. Nothing was erased.")
