"""The QR code of a link as a file, or for the link's own page."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from boxoffice.links.link_desk import link_for
from boxoffice.links.link_words import codes_of
from boxoffice.links.whose_links import SEES
from snip.links.qr import qr_png, qr_svg
from snip.models import Link


def qr_file(request: HttpRequest, link_id: int, *, kind: str) -> HttpResponse:
    """``code`` chooses among the link's codes; without it, the one that people read best. ``show`` shows it in a page.

    kind: svg or png.
    """
    link = link_for(request, link_id=link_id, permission=SEES)
    codes = codes_of(link)
    code = request.GET.get("code") or codes[0]
    if code not in codes or link.state == Link.State.DELETED:
        raise Http404
    if kind == "svg":
        answer = HttpResponse(qr_svg(code), content_type="image/svg+xml")
    else:
        answer = HttpResponse(qr_png(code), content_type="image/png")
    where = "inline" if "show" in request.GET else "attachment"
    answer["Content-Disposition"] = f'{where}; filename="{code}.{kind}"'
    answer["Cache-Control"] = "private, no-store"
    return answer
