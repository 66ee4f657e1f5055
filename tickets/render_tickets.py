"""Rendering tickets to PDF.

Guarantee: the renderer reads the files listed in ``ASSETS`` and the QR codes of its own pages, and nothing else: no
other file, no network. Texts from outside reach it escaped, and a template that asked for more would be refused.
"""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

import structlog
import weasyprint
from django.template.loader import render_to_string
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

from tickets.errors import AssetRefused
from tickets.qr_image import qr_png
from tickets.shortcuts import shortcuts
from tickets.system_fonts import packages_for, scripts_without_font
from tickets.ticket_assets import ASSETS, STYLESHEET
from tickets.ticket_face import TicketFace
from tickets.undrawn import undrawn_letters

log = structlog.get_logger(__name__)

# Programs that show PDFs smooth small pictures and thereby blur a code of one pixel a module; more than 4 costs CPU.
PIXELS_PER_MODULE = 4

# Control characters cannot be printed, and the XML inside a PDF may not hold them.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
# Pango's font map, which is shared below, is not made for two threads at once; rendering is pure computing anyway.
_one_at_a_time = threading.Lock()


def render_tickets(*, faces: Sequence[TicketFace], title: str, language: str) -> bytes:
    """One PDF with one A4 page for each face: tagged, selectable text, the same bytes for the same faces.

    title: the document's title. language: of the texts, such as ``de``; the page's own words are in the active one.
    Costs CPU only: about 10 ms a ticket, and 150 ms more for the first one of a process. Letters that no font has
    are drawn as boxes and named in the log.
    Raises AssetRefused when the template asks for anything but ``ASSETS``.
    """
    pages = [{"face": face, "qr": f"qr:{place}"} for place, face in enumerate(faces)]
    markup = render_to_string("tickets/ticket.html", {"pages": pages, "title": title, "language": language})
    codes = {
        f"qr:{place}": qr_png(payload=face.payload, pixels_per_module=PIXELS_PER_MODULE)
        for place, face in enumerate(faces)
    }
    with _one_at_a_time, _collector_paused(), shortcuts(), undrawn_letters() as undrawn:
        fonts, stylesheet = _style()
        try:
            document = weasyprint.HTML(string=_UNPRINTABLE.sub("", markup), url_fetcher=OwnAssets(codes))
            pdf = document.write_pdf(stylesheets=[stylesheet], font_config=fonts, pdf_variant="pdf/ua-1")
        except FatalURLFetchingError as error:
            raise AssetRefused from error
    if undrawn:
        # The ticket is good all the same: its code admits, and a box in a name is no reason to send no ticket.
        log.error("ticket_letters_not_drawn", letters=[f"U+{letter:04X}" for letter in sorted(undrawn)])
    return bytes(pdf)


@contextmanager
def rendering_alone() -> Iterator[None]:
    """For whatever else prints in a process: no two threads of it render at once."""
    with _one_at_a_time:
        yield


class OwnAssets(URLFetcher):
    """Hands out what is listed and stops the rendering at anything else."""

    def __init__(self, made: Mapping[str, bytes] | None = None) -> None:
        super().__init__(allowed_protocols=(), allow_redirects=False, fail_on_errors=True)
        self._made = made or {}

    def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> URLFetcherResponse:
        """The asset's bytes. Raises LookupError, which WeasyPrint turns into its fatal error, for an unlisted one."""
        if url in self._made:
            return URLFetcherResponse(url, self._made[url], {"Content-Type": "image/png"})
        if url in ASSETS:
            return URLFetcherResponse(url, ASSETS[url].read_bytes(), {"Content-Type": "font/ttf"})
        raise LookupError("not one of the ticket's assets")


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage collection inside the block: it finds nothing before the document is done, and costs a sixth."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


@cache
def _style() -> tuple[FontConfiguration, weasyprint.CSS]:
    """Fonts and parsed style sheet, made once for each process: they cost more than ten tickets.

    Says once, too, which scripts this process will print as boxes: it is the one that prints them.
    """
    if missing := scripts_without_font():
        log.error(
            "ticket_fonts_missing",
            scripts=[script.name for script in missing],
            install=f"apt-get install {' '.join(packages_for(missing))}",
        )
    fonts = FontConfiguration()
    source = STYLESHEET.read_text(encoding="utf-8")
    return fonts, weasyprint.CSS(string=source, font_config=fonts, url_fetcher=OwnAssets())
