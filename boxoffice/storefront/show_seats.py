"""The layout of a show's seats: fetched once by a browser and kept by it and by whatever cache is on the way."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from http import HTTPStatus
from threading import Lock

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from boxoffice.storefront.packed import PackedJson
from boxoffice.storefront.seat_layout import lay_out
from inventory.errors import UnknownShow
from inventory.models import SeatingPlan, Show
from inventory.places import places_of_show
from inventory.selectors import announced_show

# Of the answer's form: raise it with any change to seat_layout or plan_shapes, and browsers fetch it anew.
FORM = 1
A_YEAR = 365 * 24 * 3600
# Layouts that a process keeps, compressed, a few times a hundred kilobytes each at most.
KEPT = 40

_kept: OrderedDict[str, PackedJson] = OrderedDict()
_one_at_a_time = Lock()


@require_safe
def show_seats(request: HttpRequest, slug: str) -> HttpResponse:
    """``seats.json?v=<digest>``: under the right digest it may be kept for a year, and otherwise leads there.

    Two queries; two more once in a process and digest.
    """
    try:
        show = announced_show(slug=slug)
    except UnknownShow as error:
        return JsonResponse({"message": str(error)}, status=404)
    digest = digest_of(show)
    if request.GET.get("v") != digest:
        return _not_kept(HttpResponseRedirect(layout_address(show)))
    etag = f'"{digest}"'
    response = get_conditional_response(request, etag=etag) or _layout(show, digest).answer(request)
    if response.status_code == HTTPStatus.PRECONDITION_FAILED:
        return _not_kept(response)  # it answers one browser's condition; a cache would tell it to all for a year
    response.headers["ETag"] = etag
    patch_cache_control(response, public=True, max_age=A_YEAR, immutable=True)
    return response


def layout_address(show: Show) -> str:
    """Where the layout is that fits the show as it stands and the active language. Its ``tiers`` are read."""
    return f"{reverse('show-seats', args=[show.slug])}?v={digest_of(show)}"


def digest_of(show: Show) -> str:
    """Of all that the layout depends on: the seats of a show never move, its tiers' names and prices may change."""
    tiers = [(tier.pk, tier.name, tier.price, tier.wheelchair) for tier in show.tiers.all()]
    known = (FORM, show.pk, show.created_at.isoformat(), show.currency, get_language(), tiers)
    return blake2b(repr(known).encode(), digest_size=9).hexdigest()


def _layout(show: Show, digest: str) -> PackedJson:
    if (kept := _kept.get(digest)) is not None:
        return kept
    # A rush on a process that has just started makes it once; another show's fans wait for a fraction of a second.
    with _one_at_a_time:
        if (kept := _kept.get(digest)) is None:
            document = SeatingPlan.objects.values_list("document", flat=True).get(pk=show.plan_id)
            places = places_of_show(show_id=show.pk)
            kept = PackedJson(lay_out(places=places, tiers=list(show.tiers.all()), document=document), level=9)
            _kept[digest] = kept
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
    return kept


def _not_kept(response: HttpResponse) -> HttpResponse:
    patch_cache_control(response, no_cache=True)
    return response
