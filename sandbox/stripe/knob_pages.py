"""What happened, and the knobs, for people."""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from sandbox.stripe import deliver
from sandbox.stripe.currencies import in_words
from sandbox.stripe.knobs import CHOICES, TYPES, BadKnob, Knobs
from sandbox.stripe.settle import catch_up
from sandbox.stripe.stand_in import the_stand_in

ON_THE_PAGE = 50
GROUPS = {
    "Answers": {
        "latency_ms": "Wait before each answer, in ms",
        "fail_next": "Answer 500 to the next … requests; -1 for all",
        "fail_rate": "Answer 500 by chance, from 0 to 1",
        "fail_executes": "A 500 comes after the work was done",
        "lose_answers": "Do what the next … POSTs ask but never answer; -1 for all",
        "lose_answers_by": "Never answer by silence, or close at once",
    },
    "Rate limit": {
        "limit_next": "Answer 429 to the next … requests; -1 for all",
        "limit_per_second": "Let pass … requests a second and answer 429 to the rest; 0 for no limit",
        "limit_burst": "Let pass … at once after a pause",
        "retry_after_s": "Retry-After of a 429, in seconds; none when 0",
    },
    "Payments": {
        "decline_next": "Decline the next … payments whatever the card; -1 for all",
        "decline_rate": "Decline payments by chance, from 0 to 1",
        "decline_code": "Decline for this reason",
        "three_d_secure_next": "Ask for 3-D Secure in the next … payments; -1 for all",
    },
    "Refunds and bank debits": {
        "refunds": "New refunds",
        "settle_after_s": "Decide pending refunds and bank debits after … seconds; 0 for by hand",
    },
    "Events": {
        "webhooks": "Send them, or never",
        "webhook_delay_s": "Send them … seconds late",
        "webhook_copies": "Send each … times",
        "webhook_reorder_s": "Collect them for … seconds and send the newest first; 0 for not",
    },
    "Clock": {"clock_offset_s": "The stand-in's clock is ahead by … seconds"},
}


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The newest sessions, disputes and deliveries, each delivery with a button that sends it again."""
    stand_in = the_stand_in()
    catch_up(stand_in)
    deliveries = stand_in.state.rows("SELECT * FROM deliveries ORDER BY id DESC LIMIT ?", (ON_THE_PAGE,))
    sessions = stand_in.state.rows(
        "SELECT id, created, json_extract(body, '$.status') AS status, json_extract(body, '$.amount_total') AS amount, "
        "json_extract(body, '$.currency') AS currency, json_extract(body, '$.payment_status') AS payment_status "
        "FROM objects WHERE kind = 'checkout.session' ORDER BY seq DESC LIMIT ?",
        (ON_THE_PAGE,),
    )
    disputes = stand_in.state.rows(
        "SELECT id, created, json_extract(body, '$.status') AS status, json_extract(body, '$.amount') AS amount, "
        "json_extract(body, '$.currency') AS currency FROM objects WHERE kind = 'dispute' ORDER BY seq DESC LIMIT ?",
        (ON_THE_PAGE,),
    )
    context = {
        "disputes": [
            {**dict(row), "words": in_words(row["amount"], row["currency"]), "at": _instant(row["created"])}
            for row in disputes
        ],
        "deliveries": [{**dict(row), "at": _instant(row["created_at"])} for row in deliveries],
        "sessions": [
            {**dict(row), "words": in_words(row["amount"], row["currency"]), "at": _instant(row["created"])}
            for row in sessions
        ],
        "endpoint": stand_in.endpoint,
        "turned": stand_in.board.knobs != Knobs(),
        "sent": "sent" in request.GET,
        "page": ON_THE_PAGE,
        "today": f"{_instant(stand_in.now()):%Y-%m-%d}",
    }
    response = render(request, "sandbox/stripe/home.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_POST
def send_again(request: HttpRequest, delivery_id: int) -> HttpResponseBase:
    """Send one delivery now."""
    if not deliver.send_again(the_stand_in(), delivery_id):
        raise Http404
    return redirect("/?sent=1#deliveries")


@require_http_methods(["GET", "POST"])
def knobs(request: HttpRequest) -> HttpResponseBase:
    """The knobs, and a form that turns or resets them."""
    board = the_stand_in().board
    if request.method == "GET":
        return _form(request, asdict(board.knobs), turned="turned" in request.GET)
    if "reset" in request.POST:
        board.reset()
        return redirect("/knobs/?turned=1")
    entered = {knob.name: request.POST.get(knob.name, "").strip() for knob in fields(Knobs)}
    try:
        board.turn({name: _value(name, text) for name, text in entered.items()})
    except ValueError as error:
        problem = str(error) if isinstance(error, BadKnob) else "Enter numbers."
        return _form(request, entered, problem=problem, status=422)
    the_stand_in().something_happened.set()
    return redirect("/knobs/?turned=1")


def _value(name: str, text: str) -> Any:
    kind = TYPES[name]
    return (
        text == "true" if kind == "bool" else int(text) if kind == "int" else float(text) if kind == "float" else text
    )


def _form(request: HttpRequest, values: dict[str, Any], **context: Any) -> HttpResponse:
    status = context.pop("status", 200)
    groups = {
        title: [
            {
                "name": name,
                "words": words,
                "value": str(values[name]).lower() if TYPES[name] == "bool" else values[name],
                "choices": ("false", "true") if TYPES[name] == "bool" else CHOICES.get(name),
            }
            for name, words in knobs.items()
        ]
        for title, knobs in GROUPS.items()
    }
    return render(request, "sandbox/stripe/knobs.html", {**context, "groups": groups}, status=status)


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
