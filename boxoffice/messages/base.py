"""From a draft to an e-mail: one HTML frame and one text frame for all kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import get_language, get_language_bidi
from django.utils.translation import gettext as _

from boxoffice.one_line import one_line
from notifications.content import Attachment, EmailContent


@dataclass(frozen=True)
class Draft:
    """A message before it is laid out.

    subject: the mail's subject, one line. preheader: what a mailbox shows beside it; not a repetition.
    template: ``boxoffice/messages/<template>.html`` and ``.txt`` lay it out, with ``context``.
    to_name: whom it greets; the address is the notification's own. link_instead: where the attachments can be had as
    well, for those that are too large for a mail.
    """

    to_name: str
    subject: str
    preheader: str
    template: str
    context: Mapping[str, Any]
    attachments: Sequence[Attachment] = ()
    link_instead: str = ""


def lay_out(draft: Draft, *, to_address: str, unsubscribe_url: str = "") -> EmailContent:
    """Render the draft in the active language as HTML and as text that stands on its own.

    unsubscribe_url: where its reader ends mails of this kind, for bulk mails; mail programs show a button for it.
    """
    context = {
        **draft.context,
        "subject": draft.subject,
        "preheader": draft.preheader,
        "language": get_language() or settings.LANGUAGE_CODE,
        "direction": "rtl" if get_language_bidi() else "ltr",
        "site_url": settings.PUBLIC_URL,
        "site_name": _("BoxOffice"),
        "unsubscribe_url": unsubscribe_url,
    }
    stem = f"boxoffice/messages/{draft.template}"
    return EmailContent(
        to_name=draft.to_name,
        to_address=to_address,
        subject=one_line(draft.subject),
        text=render_to_string(f"{stem}.txt", context).strip() + "\n",
        html=render_to_string(f"{stem}.html", context),
        attachments=draft.attachments,
        link_instead=draft.link_instead,
        headers=_ways_out(unsubscribe_url),
    )


def _ways_out(unsubscribe_url: str) -> dict[str, str]:
    """The headers by which a mail program unsubscribes with one click (RFC 2369, RFC 8058)."""
    if not unsubscribe_url:
        return {}
    return {"List-Unsubscribe": f"<{unsubscribe_url}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
