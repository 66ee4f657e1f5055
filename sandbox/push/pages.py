"""What arrived, and the knobs, for people."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from sandbox.push.knobs import STATUSES, SWITCHES, BadKnob, Knobs
from sandbox.push.service import Message, the_service

ON_THE_PAGE = 50
WORDS = {
    "latency_ms": "Wait before each answer, in ms",
    "fail_next": "Do not take the next … messages; -1 for all",
    "fail_status": "Answer those with the status",
    "retry_after_s": "Retry-After of a 429 or 503, in seconds; none when 0",
    "lose_answers": "Take the next … messages but hang up without an answer; -1 for all",
    "outage": "Hang up on everybody and take nothing",
    "offline": "The browsers are not on line: messages wait",
    "clock_offset_s": "The service's clock is ahead by … seconds",
}


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The newest messages as their browsers read them."""
    service = the_service()
    service.let_happen()
    newest = list(reversed(service.messages[-ON_THE_PAGE:]))
    context = {
        "messages": [_shown(message) for message in newest],
        "subscriptions": len(service.subscriptions()),
        "turned": service.knobs != Knobs(),
        "page": ON_THE_PAGE,
    }
    response = render(request, "sandbox/push/home.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "POST"])
def knobs(request: HttpRequest) -> HttpResponseBase:
    """The knobs, and a form that turns or resets them."""
    service = the_service()
    if request.method == "GET":
        return _form(request, asdict(service.knobs), turned="turned" in request.GET)
    if "reset" in request.POST:
        service.turn(asdict(Knobs()))
        return redirect("/knobs/?turned=1")
    entered = {knob.name: request.POST.get(knob.name, "").strip() for knob in fields(Knobs)}
    try:
        service.turn({name: text == "true" if name in SWITCHES else int(text) for name, text in entered.items()})
    except ValueError as error:
        problem = str(error) if isinstance(error, BadKnob) else "Enter whole numbers."
        return _form(request, entered, problem=problem, status=422)
    return redirect("/knobs/?turned=1")


def _shown(message: Message) -> dict[str, Any]:
    try:
        words = json.loads(message.text)
    except ValueError:
        words = None
    told = words if isinstance(words, dict) else {"title": message.text}
    return {**asdict(message), "told": told, "at": datetime.fromtimestamp(message.arrived_at, UTC)}


def _form(request: HttpRequest, values: dict[str, Any], **context: Any) -> HttpResponse:
    status = context.pop("status", 200)
    choices = {"fail_status": [str(status) for status in STATUSES], **{name: ["false", "true"] for name in SWITCHES}}
    rows = [
        {"name": name, "words": words, "value": str(values[name]).lower(), "choices": choices.get(name)}
        for name, words in WORDS.items()
    ]
    return render(request, "sandbox/push/knobs.html", {**context, "rows": rows}, status=status)
