"""Making many links from a file: choose it, look at what is in it, then make them all or none."""

from __future__ import annotations

from uuid import uuid4

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.links.form_page import ADD
from boxoffice.links.link_desk import LIST, render, require
from boxoffice.links.made_before import made_with
from boxoffice.links.read_csv import ReadFile, Unreadable, read_links, text_of
from snip.links.create_link import MOST, create_links
from snip.links.errors import LinkError, LinksMadeAlready

SHOWN = 50
"""Lines of the file, and problems in it, that the page shows: what one looks through."""


class FileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv,text/plain"}),
        error_messages={"required": gettext_lazy("Choose a file first.")},
    )


class SureForm(forms.Form):
    """What was looked at, once more: nothing of it was kept meanwhile."""

    text = forms.CharField(widget=forms.Textarea(attrs={"hidden": True}), strip=False)
    number = forms.UUIDField(widget=forms.HiddenInput)


def import_page(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Ask for a file (GET), show what is in it (POST with one), or make its links (POST with its text)."""
    require(request, ADD)
    if request.method != "POST":
        return _ask(page, request, FileForm())
    if "text" in request.POST:
        return _make(page, request)
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _ask(page, request, form)
    try:
        text = text_of(form.cleaned_data["file"].read())
        return _show(page, request, text, read_links(text, user=request.user))
    except Unreadable as problem:
        form.add_error("file", str(problem))
        return _ask(page, request, form)


def _make(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    sure = SureForm(request.POST)
    if not sure.is_valid():
        return _ask(page, request, FileForm())
    number, text = sure.cleaned_data["number"], sure.cleaned_data["text"]
    if made_with(request, number=str(number)):
        return _made_already(request)
    try:
        read = read_links(text, user=request.user)
        if read.wrong:
            return _show(page, request, text, read)
        new = [link for _line, link in read.links]
        by = request.user.get_username()
        links = create_links(new=new, owner_id=request.user.pk, by=by, number=number)
    except LinksMadeAlready:
        return _made_already(request)
    except (LinkError, Unreadable) as problem:
        messages.error(request, str(problem))
        return HttpResponseRedirect(request.path)
    words = ngettext(
        "%(n)d link is made. Its target is checked first.",
        "%(n)d links are made. Their targets are checked first.",
        len(links),
    )
    messages.success(request, words % {"n": len(links)})
    return HttpResponseRedirect(reverse(LIST))


def _made_already(request: HttpRequest) -> HttpResponse:
    messages.warning(request, _("These links were made already."))
    return HttpResponseRedirect(reverse(LIST))


def _ask(page: admin.ModelAdmin, request: HttpRequest, form: FileForm) -> HttpResponse:
    title, back = _("Links from a file"), reverse(LIST)
    return render(page, request, "import.html", title=title, form=form, most=MOST, back_url=back)


def _show(page: admin.ModelAdmin, request: HttpRequest, text: str, read: ReadFile) -> HttpResponse:
    count = len(read.links)
    return render(
        page,
        request,
        "import_preview.html",
        title=_("Links from a file"),
        read=read,
        lines=read.links[:SHOWN],
        more=max(0, count - SHOWN),
        wrong=read.wrong[:SHOWN],
        more_wrong=max(0, len(read.wrong) - SHOWN),
        form=SureForm(initial={"text": text, "number": uuid4()}),
        button=ngettext("Make %(n)d link", "Make %(n)d links", count) % {"n": count},
        back_url=request.path,
    )
