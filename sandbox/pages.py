"""The mailbox for people."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET, require_http_methods

from sandbox.esp.knobs import EspKnobs, esp_knobs
from sandbox.esp.pages import BUTTONS
from sandbox.esp.take_email import ARRIVES, RECORD, fate_of, unpacked
from sandbox.knobs import BadKnob, smtp_knobs
from sandbox.mailbox import Mailbox, NoSuchMessage
from sandbox.settings import SANDBOX_MAILDIR
from sandbox.stored_message import StoredMessage

PAGE = 100  # mails on the first page; older ones are found by their address
ASSETS = {"mailbox.css": "text/css", "mailbox.js": "text/javascript", "stripe.css": "text/css"}

# A mail is a stranger's document. It gets no script, no form, no network but pictures inside it; its links open in a
# window of their own.
MAIL_POLICY = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'self'"
)
LINKS_LEAVE_THE_FRAME = '<base target="_blank">'


@require_GET
def mailbox(request: HttpRequest) -> HttpResponse:
    """The newest mails, all or those to one address. ``part=list`` gives the list alone, for the page's own script."""
    to = request.GET.get("to", "").strip()
    box = Mailbox(SANDBOX_MAILDIR)
    found = list(islice(box.summaries(to=to), PAGE + 1))
    context = {
        "messages": found[:PAGE],
        "more": len(found) > PAGE,
        "page": PAGE,
        "to": to,
        "newest": found[0].id if found else "",
        "knobs": smtp_knobs(SANDBOX_MAILDIR).read(),
        "esp_is_set": esp_knobs(SANDBOX_MAILDIR).read() != EspKnobs(),
    }
    part = request.GET.get("part") == "list"
    response = render(request, "sandbox/_list.html" if part else "sandbox/mailbox.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_GET
def message(request: HttpRequest, message_id: str) -> HttpResponse:
    """One mail: as it looks, as text, its attachments and its headers."""
    found = _found(message_id)
    record = dict(found.headers).get(RECORD)
    fate = fate_of(unpacked(record)) if record else ()
    happened = request.GET.get("happened", "")
    context = {
        "message": found,
        "headers": [(name, value) for name, value in found.headers if name != RECORD],
        "happenings": BUTTONS if record else {},
        # What is not told of each mail that arrives: this address decided it.
        "fate": f"{', then '.join(fate) or 'nothing'}; its address decides that" if record and fate != ARRIVES else "",
        "happened": happened if happened in BUTTONS.values() else "",
    }
    return render(request, "sandbox/message.html", context)


@require_GET
def message_html(request: HttpRequest, message_id: str) -> HttpResponse:
    """The mail's HTML for the frame."""
    response = HttpResponse(LINKS_LEAVE_THE_FRAME + _found(message_id).html)
    response.headers["Content-Security-Policy"] = MAIL_POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


@require_GET
def raw(request: HttpRequest, message_id: str) -> HttpResponse:
    """The mail as a file."""
    stored = _found(message_id)
    return _download(stored.raw, f"{stored.message_id}.eml", "message/rfc822")


@require_GET
def attachment(request: HttpRequest, message_id: str, number: int) -> HttpResponse:
    """An attachment as a file."""
    attachments = _found(message_id).attachments
    if number >= len(attachments):
        raise Http404
    return _download(attachments[number].content, attachments[number].name, attachments[number].content_type)


@require_http_methods(["GET", "POST"])
def knobs(request: HttpRequest) -> HttpResponse:
    """The mail server's knobs, and a form that turns them."""
    file = smtp_knobs(SANDBOX_MAILDIR)
    if request.method == "GET":
        return render(request, "sandbox/knobs.html", {"knobs": file.read(), "turned": "turned" in request.GET})
    entered = {name: request.POST.get(name, "").strip() for name in vars(file.read())}
    try:
        file.turn({name: value if name in {"fail_at", "fail_text"} else int(value) for name, value in entered.items()})
    except ValueError as error:
        problem = str(error) if isinstance(error, BadKnob) else "Enter whole numbers."
        return render(request, "sandbox/knobs.html", {"knobs": entered, "problem": problem}, status=422)
    return redirect("/knobs/?turned=1")


@require_GET
def asset(request: HttpRequest, name: str) -> HttpResponse:
    """The style sheet and the script."""
    if name not in ASSETS:
        raise Http404
    content = (Path(__file__).parent / "assets" / name).read_bytes()
    return HttpResponse(content, content_type=f"{ASSETS[name]}; charset=utf-8")


def _found(message_id: str) -> StoredMessage:
    try:
        return Mailbox(SANDBOX_MAILDIR).message(message_id)
    except NoSuchMessage as error:
        raise Http404 from error


def _download(content: bytes, name: str, content_type: str) -> HttpResponse:
    """A file to be saved, never shown: nothing in it may run here, whatever it is."""
    response = HttpResponse(content, content_type=content_type)
    response.headers["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response
