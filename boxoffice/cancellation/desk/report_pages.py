"""Handing the report of a cancellation out."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import get_language

from boxoffice.cancellation.desk.progress_page import PERMISSION
from boxoffice.cancellation.read_progress import Progress, read_progress
from boxoffice.cancellation.report.report_csv import report_csv
from boxoffice.cancellation.report.report_parts import parts_of_report


def csv_page(request: HttpRequest, show_id: int) -> HttpResponseBase:
    """All orders, sent as they are read."""
    progress = _progress(request, show_id)
    pieces = report_csv(
        show_id=show_id, time_zone=progress.cancellation.show.venue.time_zone, language=get_language() or "en"
    )
    answer = StreamingHttpResponse(pieces, content_type="text/csv; charset=utf-8")
    return _as_file(answer, f"cancellation-show-{show_id}.csv")


def pdf_page(request: HttpRequest, show_id: int, number: int) -> HttpResponseBase:
    """One part. Raises Http404 for one that there is not."""
    progress = _progress(request, show_id)
    part = next((each for each in parts_of_report(show_id=show_id) if each.number == number), None)
    if part is None:
        raise Http404
    # Loading the renderer is a quarter of a process's start, and nobody else here needs it.
    from boxoffice.cancellation.report.report_pdf import report_pdf

    answer = HttpResponse(report_pdf(progress=progress, part=part), content_type="application/pdf")
    name = f"cancellation-show-{show_id}-part-{number}.pdf" if part.count > 1 else f"cancellation-show-{show_id}.pdf"
    return _as_file(answer, name)


def _progress(request: HttpRequest, show_id: int) -> Progress:
    if not request.user.has_perm(PERMISSION) or not request.user.has_perm("inventory.view_show"):
        raise PermissionDenied
    progress = read_progress(show_id=show_id)
    if progress is None:
        raise Http404
    return progress


def _as_file(answer: HttpResponseBase, name: str) -> HttpResponseBase:
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["Cache-Control"] = "private, no-store"
    return answer
