"""The staff page "What mails look like": every kind of mail in every language, as its readers get it, with sample data.

The HTML of a mail is a page of its own in a frame without rights: under a policy that lets it load nothing and run
nothing, and that lets our own page alone frame it.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import translation
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from boxoffice.messages.base import lay_out
from boxoffice.messages.samples import RECIPIENT, Sample, sample, samples
from boxoffice.support.story.plain_words import name_of_mail
from boxoffice.unsubscribe_link import unsubscribe_address
from notifications.content import EmailContent

PERMISSION = "notifications.view_notification"

# As mail programs treat it: its own styles count, and nothing else is loaded or run.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"


@dataclass(frozen=True)
class Choice:
    """A link to one sample, in words."""

    number: int
    name: str
    case: str
    is_shown: bool


def sample_mails_page(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """One sample (``?number=``, ``?in=`` a language): subject, preheader, headers, text, HTML; links to the others."""
    _require(request)
    number, language = _asked_for(request)
    shown = _sample(number)
    mail, preheader = _written(shown, language)
    context = {
        **page.admin_site.each_context(request),
        "title": _("What mails look like"),
        "opts": page.opts,
        "media": page.media,
        "choices": [_choice(each, place, number) for place, each in enumerate(samples())],
        "languages": settings.LANGUAGES,
        "number": number,
        "language": language,
        "name": name_of_mail(shown.kind),
        "case": capfirst(str(shown.case)),
        "kind": shown.kind,
        "mail": mail,
        "preheader": preheader,
        "headers": mail.headers.items(),
    }
    return TemplateResponse(request, "admin/boxoffice/order/sample_mails.html", context)


def sample_mail_html(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The HTML of the same sample, for the frame."""
    _require(request)
    number, language = _asked_for(request)
    mail, _preheader = _written(_sample(number), language)
    response = HttpResponse(mail.html)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    response.headers["Cache-Control"] = "no-store"
    return response


def _require(request: HttpRequest) -> None:
    if not request.user.has_perm(PERMISSION):
        raise PermissionDenied


def _asked_for(request: HttpRequest) -> tuple[int, str]:
    number = request.GET.get("number", "0")
    language = request.GET.get("in", translation.get_language() or settings.LANGUAGE_CODE)
    if not number.isdecimal() or len(number) > 3 or language not in dict(settings.LANGUAGES):
        raise Http404
    return int(number), language


def _sample(number: int) -> Sample:
    found = sample(number=number)
    if found is None:
        raise Http404
    return found


def _written(shown: Sample, language: str) -> tuple[EmailContent, str]:
    """The mail in this language, and what a mailbox shows beside its subject."""
    with translation.override(language):
        draft = shown.draft()
        ended_at = unsubscribe_address(kind=shown.kind, address="") if shown.can_be_ended else ""  # ends nothing
        return lay_out(draft, to_address=RECIPIENT, unsubscribe_url=ended_at), draft.preheader


def _choice(each: Sample, place: int, number: int) -> Choice:
    return Choice(number=place, name=name_of_mail(each.kind), case=str(each.case), is_shown=place == number)
