"""The ESP's knobs, and what becomes of a mail that it took: pages of the mailbox's site."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from sandbox.esp.asked import ask
from sandbox.esp.events import HAPPENINGS
from sandbox.esp.knobs import BOUNDS, CHOICES, FRACTIONS, EspKnobs, esp_knobs
from sandbox.esp.take_email import RECORD, unpacked
from sandbox.knobs import BadKnob
from sandbox.mailbox import Mailbox, NoSuchMessage
from sandbox.settings import SANDBOX_MAILDIR

GROUPS = {
    "Slow": {
        "latency_ms": "Wait before each answer, in ms",
        "spike_ms": "or, now and then, so long",
        "spike_rate": "by this chance, 0 to 1",
    },
    "Failing": {
        "outage": "Outage: each connection is broken, never answered, or answered with 500",
        "fail_next": "Refuse the next … requests; -1 for all",
        "fail_rate": "Refuse by chance, 0 to 1",
        "fail_code": "with this status",
        "lose_answers": "Take the next … mails but do not answer; -1 for all",
        "lose_answers_by": "by closing the connection, or by silence",
    },
    "Limited": {
        "limit_per_second": "Requests in any second; 0 for no limit",
        "limit_next": "Answer the next … requests with 429; -1 for all",
        "retry_after_s": "Retry-After, in s; 0 for as long as it takes",
        "largest_mb": "Largest request, in MB",
    },
    "Events": {
        "webhooks": "Send events, or never",
        "webhook_delay_s": "so much later, in s",
        "webhook_copies": "each so many times",
    },
}
ADDRESSES = {
    "delivered@…": "is delivered, as any other address is",
    "bounced@…": "bounces for good: no such mailbox",
    "softbounced@…": "bounces for now: the mailbox is full",
    "complained@…": "is delivered, and its owner complains of spam",
    "suppressed@…": "is not sent at all, since it bounced before",
    "silent@…": "is taken, and nothing is told of it",
}
BUTTONS = {"delivered": "Deliver", "bounced": "Bounce", "bounced softly": "Bounce softly", "complained": "Complain"}


@require_http_methods(["GET", "POST"])
def knobs(request: HttpRequest) -> HttpResponse:
    """The knobs, and a form that turns them."""
    file = esp_knobs(SANDBOX_MAILDIR)
    if request.method == "GET":
        return _page(request, asdict(file.read()), turned="turned" in request.GET)
    if "reset" in request.POST:
        file.turn(asdict(EspKnobs()))
        return redirect(f"{reverse('esp_knobs')}?turned=1")
    entered = {name: request.POST.get(name, "").strip() for name in asdict(file.read())}
    try:
        file.turn({name: _read(name, value) for name, value in entered.items()})
    except ValueError as error:
        problem = str(error) if isinstance(error, BadKnob) else "Enter numbers."
        return _page(request, entered, problem=problem, status=422)
    return redirect(f"{reverse('esp_knobs')}?turned=1")


@require_POST
def happen(request: HttpRequest, message_id: str) -> HttpResponse:
    """Let something happen to a mail that the ESP took; its process sends the event."""
    try:
        headers = dict(Mailbox(SANDBOX_MAILDIR).message(message_id).headers)
    except NoSuchMessage as error:
        raise Http404 from error
    happening = request.POST.get("happening", "")
    if RECORD not in headers or happening not in HAPPENINGS:
        raise Http404
    ask(SANDBOX_MAILDIR, unpacked(headers[RECORD]), happening)
    return redirect(f"{reverse('message', kwargs={'message_id': message_id})}?happened={BUTTONS.get(happening, '')}")


def _read(name: str, value: str) -> str | int | float:
    if name in CHOICES:
        return value
    return float(value) if name in FRACTIONS else int(value)


def _page(request: HttpRequest, values: dict[str, Any], *, status: int = 200, **more: Any) -> HttpResponse:
    groups = {
        title: [
            {"name": name, "words": words, "value": values[name], "choices": CHOICES.get(name)}
            for name, words in rows.items()
        ]
        for title, rows in GROUPS.items()
    }
    assert {name for rows in GROUPS.values() for name in rows} == BOUNDS.keys() | CHOICES.keys()
    return render(request, "sandbox/esp_knobs.html", {"groups": groups, "addresses": ADDRESSES, **more}, status=status)
