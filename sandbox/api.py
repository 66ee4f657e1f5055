"""The mailbox for tests: ``/api/messages?to=ADDRESS``, ``/api/messages/ID``, ``/api/knobs``. JSON in and out."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import islice
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods

from sandbox.esp.knobs import esp_knobs
from sandbox.knobs import BadKnob, KnobFile, smtp_knobs
from sandbox.mailbox import Mailbox, NoSuchMessage
from sandbox.settings import SANDBOX_MAILDIR
from sandbox.stored_message import StoredMessage

MOST_MESSAGES = 500  # in one answer


@require_GET
def messages(request: HttpRequest) -> HttpResponse:
    """The newest messages first, each as ``message`` tells it; ``to`` and ``limit`` narrow the list."""
    limit = request.GET.get("limit", "50")
    if not limit.isdecimal() or not 0 < int(limit) <= MOST_MESSAGES:
        return JsonResponse({"error": f"limit is a whole number from 1 to {MOST_MESSAGES}."}, status=400)
    box = Mailbox(SANDBOX_MAILDIR)
    found = islice(box.summaries(to=request.GET.get("to", "")), int(limit))
    return JsonResponse([_told(request, box.message(summary.id)) for summary in found], safe=False)


@require_GET
def message(request: HttpRequest, message_id: str) -> HttpResponse:
    """One message with all its headers."""
    try:
        stored = Mailbox(SANDBOX_MAILDIR).message(message_id)
    except NoSuchMessage as error:
        raise Http404 from error
    return JsonResponse({**_told(request, stored), "headers": stored.headers})


@csrf_exempt
@require_http_methods(["GET", "POST"])
def knobs(request: HttpRequest) -> HttpResponse:
    """How the mail server's knobs stand; a POST turns those that its JSON object names."""
    return _knobs(request, smtp_knobs(SANDBOX_MAILDIR))


@csrf_exempt
@require_http_methods(["GET", "POST"])
def esp_knob_values(request: HttpRequest) -> HttpResponse:
    """The same for the ESP."""
    return _knobs(request, esp_knobs(SANDBOX_MAILDIR))


def _knobs(request: HttpRequest, file: KnobFile[Any]) -> HttpResponse:
    if request.method == "GET":
        return JsonResponse(asdict(file.read()))
    # A browser sends this type to another site only after asking, and we never say yes: no token is needed.
    if request.content_type != "application/json":
        return JsonResponse({"error": "Send application/json."}, status=415)
    try:
        changes = json.loads(request.body)
        if not isinstance(changes, dict):
            raise BadKnob('Send a JSON object such as {"latency_ms": 300}.')
        return JsonResponse(asdict(file.turn(changes)))
    except ValueError as error:  # BadKnob, and what is no JSON
        return JsonResponse({"error": str(error)}, status=422 if isinstance(error, BadKnob) else 400)


def _told(request: HttpRequest, stored: StoredMessage) -> dict[str, Any]:
    summary = stored.summary

    def address(name: str, **parts: Any) -> str:
        return request.build_absolute_uri(reverse(name, kwargs={"message_id": summary.id, **parts}))

    return {
        "id": summary.id,
        "message_id": summary.message_id,
        "to": list(summary.recipients),
        "to_header": summary.to,
        "from": summary.sender,
        "subject": summary.subject,
        "received_at": summary.received_at.isoformat(timespec="milliseconds"),
        "text": stored.text,
        "html": stored.html,
        "links": stored.links,
        "attachments": [
            {
                "name": part.name,
                "content_type": part.content_type,
                "size": part.size,
                "url": address("attachment", number=part.number),
            }
            for part in stored.attachments
        ],
        "url": address("message"),
        "raw_url": address("raw"),
    }
