"""All links that a login sees, as a file for its spreadsheet."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from boxoffice.exports.cells import BYTE_ORDER_MARK, dialect_of, text
from boxoffice.links.link_desk import require
from boxoffice.links.link_words import codes_of, how_it_does
from boxoffice.links.whose_links import SEES, links_seen_by
from inventory.models import Show
from jobs.clock import database_now
from snip.links.short_address import short_address

MOST = 20_000
"""Links in a file, the newest: some megabytes."""


def export_links(request: HttpRequest) -> HttpResponse:
    """A CSV in the dialect of the reader's language; no cell of it is taken for a formula."""
    require(request, SEES)
    now = database_now()
    links = links_seen_by(request.user).select_related("owner").prefetch_related("codes").order_by("-pk")[:MOST]
    titles = dict(
        Show.objects.filter(pk__in=[link.show_id for link in links if link.show_id]).values_list("pk", "title")
    )
    written = io.StringIO()
    table = csv.writer(written, delimiter=dialect_of(get_language() or "en").delimiter, lineterminator="\r\n")
    table.writerow(
        [
            *(_("Short address"), _("Words"), _("Name"), _("Target"), _("State"), _("Show"), _("Owner")),
            *(_("Expires (UTC)"), _("Made (UTC)")),
        ]
    )
    for link in links:
        *words, drawn = codes_of(link)
        cells = [
            short_address(drawn),
            " ".join(words),
            link.label,
            link.target,
            how_it_does(link, now=now).words,
            titles.get(link.show_id or 0, ""),
            link.owner.get_username() if link.owner else "",
        ]
        table.writerow([*map(text, cells), _in_utc(link.expires_at), _in_utc(link.created_at)])
    answer = HttpResponse(BYTE_ORDER_MARK + written.getvalue(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="links-{now:%Y-%m-%d}.csv"'
    answer["Cache-Control"] = "private, no-store"
    return answer


def _in_utc(moment: datetime | None) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if moment else ""
