"""Making a mail no larger than it may be: what is too large to be attached becomes a link."""

from __future__ import annotations

import re
from dataclasses import replace

from django.conf import settings
from django.utils.html import format_html
from django.utils.translation import gettext as _

from notifications.content import EmailContent
from notifications.errors import TooLarge

MEGABYTE = 1024 * 1024
_BODY = re.compile(r"<body\b[^>]*>", re.IGNORECASE)


def fitted(content: EmailContent) -> EmailContent:
    """``content``, or as ``linked`` has it when its attachments are too large. Raises TooLarge without a link."""
    size = sum(len(attachment.content) for attachment in content.attachments)
    if size <= settings.MAIL_ATTACHMENTS_MB * MEGABYTE:
        return content
    if not content.link_instead:
        raise TooLarge
    return linked(content)


def linked(content: EmailContent) -> EmailContent:
    """Without its attachments, and beginning with the link to them, which it has. In the active language.

    All of them go: half of the files would look like all of them.
    """
    words = _("The files are too large for an e-mail. You find them here:")
    link = content.link_instead
    note = format_html('<p>{} <a href="{}">{}</a></p>', words, link, link)
    opened = _BODY.search(content.html)
    at = opened.end() if opened else 0
    return replace(
        content,
        text=f"{words}\n{link}\n\n{content.text}",
        html=content.html[:at] + note + content.html[at:],
        attachments=(),
    )
