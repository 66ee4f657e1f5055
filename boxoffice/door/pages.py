"""The door's pages: choose tonight's show, and scan."""

from __future__ import annotations

from typing import cast

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from boxoffice.door.access import CAMERA, door_page, wants_json
from boxoffice.door.act import act
from boxoffice.door.spoken import Spoken
from boxoffice.door.tonight import door_show, door_shows, is_door_show, tonight
from boxoffice.storefront.see_other import SeeOther
from tickets.door_answer import Door
from tickets.models import Scan
from tickets.selectors import door_count, scans_at_door

NAME = "door_name"
LONGEST_NAME = 60  # characters, as the column has them
LONGEST_ID = 18  # digits, which fit a bigint; Python refuses to read thousands of them


@door_page
@require_http_methods(["GET", "HEAD", "POST"])
def choose_show(request: HttpRequest) -> HttpResponse:
    """GET: the shows of tonight, or of the week ahead with ``?ahead``. POST: keep the door's name, and on to the show,
    or back to choose among those of the week.
    """
    if request.method == "POST":
        name = " ".join(request.POST.get("name", "").replace("\x00", "").split())[:LONGEST_NAME]
        request.session[NAME] = name
        show_id = request.POST.get("show", "")
        if show_id.isdecimal() and len(show_id) <= LONGEST_ID:
            return SeeOther(reverse("door_of_show", args=[int(show_id)]))
        return SeeOther(f"{reverse('door')}?ahead" if "ahead" in request.POST else reverse("door"))
    known = door_shows()
    now = tonight(known)
    return render(
        request,
        "boxoffice/door/choose.html",
        {
            "name": _name(request),
            "tonight": now,
            "ahead": [each for each in known if each not in now] if "ahead" in request.GET else [],
            "has_more": len(known) > len(now),
        },
    )


@door_page
@require_http_methods(["GET", "HEAD", "POST"])
def door_of_show(request: HttpRequest, show_id: int) -> HttpResponse:
    """GET: the scanner. POST: what ``act`` knows, answered as JSON to the page's script and as the page without it."""
    answer = None
    if request.method == "POST":
        if not is_door_show(show_id=show_id):
            raise Http404
        answer = act(request.POST, door=_door(request, show_id=show_id))
        if wants_json(request):
            return _told(answer)
    chosen = door_show(show_id=show_id)
    if chosen is None:
        raise Http404
    context = {"chosen": chosen, "show": chosen.show, "name": _name(request), "answer": answer}
    response = render(request, "boxoffice/door/door.html", context | _state(request, show_id=show_id))
    response.headers["Permissions-Policy"] = CAMERA
    return response


@door_page
@require_safe
def door_state(request: HttpRequest, show_id: int) -> JsonResponse:
    """How many are in, and this door's newest scans unless ``?seen=`` names the newest. Four queries."""
    chosen = door_show(show_id=show_id)
    if chosen is None:
        raise Http404
    state = {"show": chosen.show} | _state(request, show_id=show_id)
    fresh = request.GET.get("seen") != str(state["newest"])
    return JsonResponse(
        {
            "count": render_to_string("boxoffice/door/_count.html", state),
            "newest": state["newest"],
            "scans": render_to_string("boxoffice/door/_scans.html", state, request=request) if fresh else None,
        }
    )


def _state(request: HttpRequest, *, show_id: int) -> dict[str, object]:
    scans = scans_at_door(show_id=show_id, door=_name(request))
    standing: set[int] = set()
    rows = [(scan, _may_undo(scan, standing)) for scan in scans]
    return {"count": door_count(show_id=show_id), "scans": rows, "newest": scans[0].pk if scans else 0}


def _may_undo(scan: Scan, standing: set[int]) -> bool:
    """Whether this is the newest row of a ticket that is in, by whichever door. ``standing``: those met already."""
    ticket = scan.ticket
    if ticket is None or ticket.show_id != scan.show_id or ticket.status != ticket.Status.USED or ticket.pk in standing:
        return False
    standing.add(ticket.pk)
    return True


def _told(answer: Spoken) -> JsonResponse:
    """For the page's script. code: of the ticket, where a person may be admitted with it by hand."""
    by_hand = answer.ticket if answer.result in (Scan.Result.PENDING, Scan.Result.FAILED) else None
    return JsonResponse(
        {
            "tone": answer.tone,
            "code": by_hand.printed_code if by_hand else None,
            "html": render_to_string("boxoffice/door/_answer.html", {"answer": answer}),
            "result": answer.result,
        },
        status=409 if answer.result == "refused" else 200,
    )


def _door(request: HttpRequest, *, show_id: int) -> Door:
    user = request.user
    known = cast(int, user.pk)  # ``door_page`` has turned everybody else away
    return Door(show_id=show_id, name=_name(request), user_id=known, by=user.get_username())


def _name(request: HttpRequest) -> str:
    return str(request.session.get(NAME) or _("Door"))
