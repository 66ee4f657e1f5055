"""How a show's seats stand, told to all its fans several times a second and read from the database once."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from boxoffice.storefront.seat_board import board_of
from inventory.errors import UnknownShow


@cache_control(no_store=True)
@require_safe
def show_states(request: HttpRequest, slug: str) -> HttpResponse:
    """``states?since=<tag>``: what has changed since, or all of it, at most a second old.

    204 when nothing has changed; 409 with the reason when the show does not sell, 404 when there is none. At most one
    query in a second for a show in this process, and none for a fan of his own.
    """
    board = board_of(slug)
    if board is None:
        return JsonResponse({"message": str(UnknownShow())}, status=404)
    if board.tag is None:
        return JsonResponse({"message": board.why_closed()}, status=409)
    since = request.GET.get("since", "")
    return HttpResponse(status=204) if since == board.tag else board.since(since).answer(request)
