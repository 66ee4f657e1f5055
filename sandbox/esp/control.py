"""For tests and measurements: JSON, under ``/sandbox/esp/``. The knobs are on the mailbox's site."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from sandbox.esp.events import HAPPENINGS
from sandbox.esp.stand_in import the_stand_in


@require_GET
def requests(request: HttpRequest) -> HttpResponse:
    """``outcomes``: how many requests were answered how (``taken``, ``again``, a status, an outage). ``requests``: each
    as instant in seconds since 1970, outcome, recipient; the oldest first. ``under_way``: how many are not answered."""
    return JsonResponse(the_stand_in().told())


@require_GET
def deliveries(request: HttpRequest) -> HttpResponse:
    """The newest events, the oldest of them first."""
    told: list[dict[str, Any]] = [
        {"id": each.id, "attempts": each.attempts, "outcome": each.outcome, "event": json.loads(each.body)}
        for each in list(the_stand_in().deliverer.newest)
    ]
    return JsonResponse(told, safe=False)


@csrf_exempt
@require_POST
def reset(request: HttpRequest) -> HttpResponse:
    """Forget requests and keys. Turns no knob."""
    if request.content_type != "application/json":
        return JsonResponse({"error": "Send application/json."}, status=415)
    the_stand_in().forget()
    return JsonResponse({})


@csrf_exempt
@require_POST
def endpoint(request: HttpRequest) -> HttpResponse:
    """Where events are sent from now on: ``{"url": "http://…"}``, empty for nowhere."""
    if request.content_type != "application/json":
        return JsonResponse({"error": "Send application/json."}, status=415)
    the_stand_in().deliverer.url = str(json.loads(request.body)["url"])
    return JsonResponse({"happenings": HAPPENINGS})
