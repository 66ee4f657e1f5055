"""The mail to somebody of staff: the file that he asked for is there. It names nobody; its link asks for a login."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from boxoffice.errors import NothingToSay
from boxoffice.messages.base import Draft
from boxoffice.models import Export

KIND = "export_ready"

# Why it is not sent. Staff read it, in their own language.
ERASED = gettext_noop("the file was erased meanwhile")


def draft(*, subject: str) -> Draft:
    """The mail as things stand now. One query. Raises NothingToSay where the file is not there any more."""
    number = subject.partition(":")[2]
    export = Export.objects.filter(pk=int(number) if number.isdecimal() else 0).select_related("user").first()
    if export is None or export.state != Export.State.DONE or export.erased_at is not None:
        raise NothingToSay(ERASED)
    return worded(export=export)


def worded(*, export: Export) -> Draft:
    """What the mail says. Pure."""
    return Draft(
        to_name=export.by,
        subject=gettext("Your export is ready: %(kind)s") % {"kind": export.get_kind_display()},
        preheader=gettext("Log in to download it. The file is erased after a week."),
        template=KIND,
        context={
            "kind": export.get_kind_display(),
            "rows": export.rows_done,
            "by": export.by,
            "export_url": f"{settings.PUBLIC_URL}{reverse('admin:boxoffice_export_changelist')}#export-{export.pk}",
        },
    )
