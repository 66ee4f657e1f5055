"""The switch on an order's page: this device is told when there is news of the order, or is not any more."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.apps import apps
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.templatetags.static import static
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from boxoffice.models import Order
from boxoffice.storefront.client_network import TooManyFromHere, require_few_from_here
from boxoffice.storefront.private_pages import private_page
from boxoffice.tell_devices import tell_device
from notifications.channels.push.keys import push_is_set_up
from notifications.channels.push.listening import listens
from notifications.channels.push.subscribe import unsubscribe
from notifications.errors import UnfitSubscription, UnknownPushService

ICON = "boxoffice/push-icon.png"
MOST_BYTES = 4096
"""Of one subscription; the longest that is known has about 900."""

# No token against forged forms: whoever sends this has the secret of the order in its address, and no cookie counts.
# Another site does not have it, and its scripts cannot send this type to us.
no_referrer = private_page(referrer="no-referrer")


@csrf_exempt
@no_referrer
@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def order_push(request: HttpRequest, token: str) -> HttpResponse:
    """JSON in and out. GET ``?device=``: whether the device whose endpoint has this SHA-256 is told, two queries.

    POST: tell this one from now on (a PushSubscription as its ``toJSON`` gives it, and ``waits``: the page did not show
    the tickets yet), five statements, or six. DELETE (``endpoint``): tell it no more, two. A second time does no harm.
    What is refused is answered with ``words``.
    """
    order = Order.objects.filter(token=token).first()
    if order is None or not push_is_set_up():
        return _refused(_("There is no such order any more."), status=404)
    if request.method in ("GET", "HEAD"):
        digest = request.GET.get("device", "")
        return JsonResponse({"on": digest.isascii() and listens(subject=order.subject, endpoint_digest=digest)})
    try:
        given = _given(request)
        if request.method == "DELETE":
            return _switch_off(order, given)
        require_few_from_here(request, what="push")
        return _switch_on(order, given)
    except TooManyFromHere as error:
        return _refused(str(error), status=error.status_code)
    except UnreadableBody:
        return _refused(_("This arrived damaged. Load the page again and try once more."), status=400)


class UnreadableBody(ValueError):
    """The body is no JSON object with what is needed."""


def _switch_on(order: Order, given: dict[str, Any]) -> HttpResponse:
    keys = given.get("keys")
    if not isinstance(keys, dict):
        raise UnreadableBody
    try:
        tell_device(
            order=order,
            endpoint=_text(given, "endpoint"),
            p256dh=_text(keys, "p256dh"),
            auth=_text(keys, "auth"),
            language=get_language() or order.language,
            waits_for_tickets=given.get("waits") is True,
        )
    except (UnknownPushService, UnfitSubscription):
        words = _("We do not know your browser's push service, and cannot tell this device. The e-mail comes anyway.")
        return _refused(words, status=422)
    return JsonResponse({"on": True})


def _switch_off(order: Order, given: dict[str, Any]) -> HttpResponse:
    unsubscribe(subject=order.subject, endpoint=_text(given, "endpoint"))
    return JsonResponse({"on": False})


def _given(request: HttpRequest) -> dict[str, Any]:
    if request.content_type != "application/json" or len(request.body) > MOST_BYTES:
        raise UnreadableBody
    try:
        given = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise UnreadableBody from error
    if not isinstance(given, dict):
        raise UnreadableBody
    return given


def _text(given: dict[str, Any], name: str) -> str:
    text = given.get(name)
    if not isinstance(text, str) or not text.isprintable():
        raise UnreadableBody
    return text


def _refused(words: str, *, status: int) -> HttpResponse:
    return JsonResponse({"words": words}, status=status)


@require_safe
@cache_control(no_cache=True)
def push_worker(request: HttpRequest) -> HttpResponse:
    """The script that shows messages while no page is open. From here, so that it may speak for all order pages."""
    return HttpResponse(_source(), content_type="text/javascript; charset=utf-8")


@lru_cache(maxsize=1)
def _source() -> bytes:
    script = Path(apps.get_app_config("boxoffice").path) / "static/boxoffice/js/push-worker.js"
    return f"const ICON = {json.dumps(static(ICON))};\n".encode() + script.read_bytes()
