"""Reading many links from a file of a spreadsheet, with what is wrong in it, by line."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from boxoffice.exports.cells import BYTE_ORDER_MARK
from boxoffice.links.link_words import address_of_show_page
from boxoffice.links.when_it_expires import read_expiry
from boxoffice.links.whose_links import shows_to_link
from inventory.models import Show
from jobs.clock import database_now
from snip.links.codes import clean_alias
from snip.links.create_link import MOST, NewLink
from snip.links.errors import ExpiresInThePast, LinkError
from snip.models import LinkCode
from snip.scan.refuse_at_once import fit_target

LARGEST = 1_000_000
"""Bytes of a file: a thousand lines with the longest addresses that people have."""

LONGEST_NAME = 100

COLUMNS = {
    "target": ("target", "ziel"),
    "name": ("name",),
    "word": ("word", "wort"),
    "show": ("show", "vorstellung"),
    "expires": ("expires", "läuft ab"),
}
"""What the head of each may be called, in the languages of the desk."""


@dataclass(frozen=True)
class Wrong:
    """What is wrong in a line, which is counted as editors do; 0 for the whole file."""

    line: int
    problem: str


@dataclass(frozen=True)
class ReadFile:
    """links: with the line of each, as far as they could be read. All of them are made, or none."""

    links: Sequence[tuple[int, NewLink]]
    wrong: Sequence[Wrong]


class Unreadable(ValueError):
    """The file as a whole; the message says why."""


def text_of(raw: bytes) -> str:
    """The file as text: UTF-8, or what older spreadsheets write. Raises Unreadable."""
    if len(raw) > LARGEST:
        raise Unreadable(_("The file is larger than a megabyte. Split it."))
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" in text:
            break
        return text
    raise Unreadable(_("This is no text. Save the table as CSV, in UTF-8."))


def read_links(text: str, *, user: Any) -> ReadFile:
    """The links in it. Raises Unreadable for a file without a head or lines, or with too many. Three queries."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    head, rows = _rows(text)
    named = [dict(zip(head, cells, strict=False)).get("show", "").strip() for _line, cells in rows]
    shows = {show.slug: show for show in shows_to_link(user).filter(slug__in=named).select_related("venue")}
    now = database_now()
    links: list[tuple[int, NewLink]] = []
    wrong: list[Wrong] = []
    lines_of: dict[str, int] = {}
    for line, cells in rows:
        given = dict(zip(head, (cell.strip() for cell in cells), strict=False))
        try:
            link = _link(given, shows)
            if link.expires_at is not None and link.expires_at <= now:
                raise ExpiresInThePast
            if link.alias and lines_of.setdefault(link.alias, line) != line:
                raise LinkError(_("The word stands in line %(line)d already.") % {"line": lines_of[link.alias]})
        except (LinkError, ValidationError) as problem:
            wrong.append(Wrong(line, " ".join(problem.messages) if hasattr(problem, "messages") else str(problem)))
        else:
            links.append((line, link))
    wrong += _taken(links)
    return ReadFile(links, sorted(wrong, key=lambda each: each.line))


def _rows(text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(";,\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    before = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((before + 1, cells))
            before = reader.line_num
            if len(rows) > MOST + 1:
                raise Unreadable(_("These are more than %(n)d lines. Split the file.") % {"n": MOST})
    except csv.Error as problem:
        raise Unreadable(_("Line %(line)d is no CSV: a quote is not closed.") % {"line": before + 1}) from problem
    if not rows:
        raise Unreadable(_("The file is empty."))
    head = [_column(cell) for cell in rows[0][1]]
    if not {"target", "show"} & set(head):
        raise Unreadable(_("The first line names the columns; “target” or “show” must be among them."))
    if len(rows) == 1:
        raise Unreadable(_("There is no line below the head."))
    return head, rows[1:]


def _column(cell: str) -> str:
    """Its name; what is not known is left out."""
    typed = cell.strip().lower()
    return next((name for name, called in COLUMNS.items() if typed in called), "")


def _link(given: dict[str, str], shows: dict[str, Show]) -> NewLink:
    slug, name = given.get("show", ""), given.get("name", "")
    show = shows.get(slug) if slug else None
    if slug and show is None:
        raise LinkError(_("You have no show with the short name “%(name)s”.") % {"name": slug[:50]})
    typed = given.get("target") or (address_of_show_page(show) if show else "")
    if not typed:
        raise LinkError(_("There is neither a target nor a show."))
    if len(name) > LONGEST_NAME:
        raise LinkError(_("The name is longer than %(n)d characters.") % {"n": LONGEST_NAME})
    try:
        expires = read_expiry(given.get("expires", ""), show=show)
    except ValueError as wrong:
        raise LinkError(_("Write the expiry as 2027-05-31 or 2027-05-31 18:00.")) from wrong
    return NewLink(
        target=fit_target(typed),
        label=name,
        alias=clean_alias(given["word"]) if given.get("word") else "",
        show_id=show.pk if show else None,
        expires_at=expires,
    )


def _taken(links: Sequence[tuple[int, NewLink]]) -> list[Wrong]:
    lines = {link.alias: line for line, link in links if link.alias}
    taken = LinkCode.objects.filter(code__in=list(lines)).values_list("code", flat=True)
    return [Wrong(lines[code], _("The word “%(word)s” is or was a link’s already.") % {"word": code}) for code in taken]
