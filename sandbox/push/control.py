"""What tests do and see: JSON in and out, under ``/sandbox/push/``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt

from sandbox.push.base64url import encoded
from sandbox.push.knobs import BadKnob
from sandbox.push.service import Subscription, the_service


def _json(function: Callable[..., Any]) -> Callable[..., HttpResponse]:
    """A view whose function takes the JSON object of a POST (None for a GET) and returns what is answered."""

    @csrf_exempt
    @wraps(function)
    def view(request: HttpRequest, **parts: Any) -> HttpResponse:
        if request.method == "GET":
            return JsonResponse(function(request, None, **parts), safe=False)
        # A browser sends this type to another site only after asking, and we never say yes: no token is needed.
        if request.method != "POST" or request.content_type != "application/json":
            return JsonResponse({"error": "POST application/json."}, status=415)
        try:
            given = json.loads(request.body or "{}")
            if not isinstance(given, dict):
                raise BadKnob("Send a JSON object.")
            return JsonResponse(function(request, given, **parts), safe=False)
        except ValueError as error:
            return JsonResponse({"error": str(error)}, status=422 if isinstance(error, BadKnob) else 400)

    return view


@_json
def subscriptions(request: HttpRequest, given: dict[str, Any] | None) -> Any:
    """A POST is a browser that subscribes, with ``application_server_key`` or for everybody; told in the browser's
    own form. A GET tells all of them.
    """
    if given is None:
        return [told(request, subscription) for subscription in the_service().subscriptions()]
    key = str(given.get("application_server_key", ""))
    return told(request, the_service().new_subscription(application_server_key=key))


@_json
def end_subscription(request: HttpRequest, given: dict[str, Any] | None, subscription_id: str) -> dict[str, bool]:
    """A browser ends its subscription."""
    return {"ended": given is not None and the_service().end_subscription(subscription_id)}


@_json
def messages(request: HttpRequest, given: dict[str, Any] | None) -> list[dict[str, Any]]:
    """What arrived, the oldest first; of one subscription with ``?endpoint=``."""
    service = the_service()
    service.let_happen()
    wanted = request.GET.get("endpoint", "").rpartition("/")[2]
    return [asdict(message) for message in service.messages if not wanted or message.subscription == wanted]


@_json
def knobs(request: HttpRequest, given: dict[str, Any] | None) -> dict[str, Any]:
    """How the knobs stand; a POST turns those that its object names."""
    service = the_service()
    return {
        **asdict(service.turn(given) if given else service.knobs),
        "followed_redirects": service.followed_redirects,
    }


@_json
def reset(request: HttpRequest, given: dict[str, Any] | None) -> dict[str, Any]:
    """As on the first day."""
    if given is not None:
        the_service().forget_everything()
    return asdict(the_service().knobs)


def told(request: HttpRequest, subscription: Subscription) -> dict[str, Any]:
    """A subscription as ``PushSubscription.toJSON`` gives it."""
    endpoint = request.build_absolute_uri(reverse("endpoint", args=[subscription.id]))
    keys = {"p256dh": encoded(subscription.keys.point), "auth": encoded(subscription.keys.auth)}
    return {"endpoint": endpoint, "expirationTime": None, "keys": keys}
