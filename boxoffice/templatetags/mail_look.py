"""``style="padding:12px 32px 0; {% look "words" %}"``: how mails look, for mail clients that read inline styles only.

Said once here and written into each element, without a build step.
"""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

SANS = "font-family:-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
SERIF = "font-family:Georgia,'Times New Roman',serif;"
INK, MUTED = "color:#1c1a17;", "color:#6b645a;"

# Long words and addresses break rather than widen the sheet; Outlook knows the second name only.
BREAKS = "overflow-wrap:anywhere; word-break:break-word;"

LOOKS = {
    "words": f"{SANS} font-size:16px; line-height:24px; {INK}",
    "detail": f"{SANS} font-size:15px; line-height:23px; {INK}",
    "cell": f"{SANS} font-size:15px; line-height:21px; {INK}",
    "foot": f"{SANS} font-size:13px; line-height:20px; {MUTED}",
    "name": f"{SERIF} font-size:18px; line-height:24px; {INK}",
    "title": f"{BREAKS} {SERIF} font-size:32px; line-height:1.2; font-weight:normal; {INK}",
    "subtitle": f"{BREAKS} {SERIF} font-size:18px; line-height:26px; {MUTED}",
    "button": f"{SANS} font-size:16px; line-height:22px; font-weight:bold; color:#ffffff; text-decoration:none;",
}


@register.simple_tag
def look(name: str) -> SafeString:
    """The declarations of one look. Raises KeyError for a name that LOOKS does not list."""
    return mark_safe(LOOKS[name])  # noqa: S308  (ours, and its quotes are no double ones)
