"""Files of links at the desk: looked at before anything is made, made whole, and exported."""

from __future__ import annotations

import csv
import io
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from inventory.models import Show
from snip.links.create_link import NewLink, create_link
from snip.models import Link, LinkCode
from tests.fixtures_links import desk_of
from tests.link_pages import IMPORT

pytestmark = pytest.mark.django_db


def upload(browser: Client, text: str | bytes) -> Any:
    raw = text.encode() if isinstance(text, str) else text
    return browser.post(reverse(IMPORT), {"file": SimpleUploadedFile("links.csv", raw)})


def test_a_file_is_looked_at_before_anything_is_made_and_then_made_whole(
    promoter_paula: Any, paulas_show: Show
) -> None:
    browser = desk_of(promoter_paula)
    text = f"\ufeffZiel;Name;Wort;Vorstellung;läuft ab\r\n;Plakat;garten;{paulas_show.slug};31.05.2099\r\nhttps://example.org;;;;\r\n"
    looked = upload(browser, text)
    assert "Make 2 links" in looked.text
    assert not Link.objects.exists()
    sure = {"text": looked.context["form"].initial["text"], "number": looked.context["form"].initial["number"]}
    assert "2 links are made" in browser.post(reverse(IMPORT), sure, follow=True).text
    assert "already" in browser.post(reverse(IMPORT), sure, follow=True).text
    first, second = Link.objects.order_by("pk")
    assert (first.label, first.owner, first.show_id) == ("Plakat", promoter_paula, paulas_show.pk)
    assert LinkCode.objects.get(code="garten").link_id == first.pk
    assert second.target == "https://example.org"


def test_one_wrong_line_and_none_of_the_file_is_made(paulas_link: Link, promoter_paula: Any) -> None:
    browser = desk_of(promoter_paula)
    lines = ["target,word,expires,show", "https://example.org,autumn,,", "ftp://x,,,", "https://example.org,AUTUMN,,"]
    lines += ['"https://example.org",spring,,', "https://example.org,,yesterday,", ",,,", ",,,no-such-show", ",x1x,,"]
    answer = upload(browser, "\n".join(lines))
    problems = {each.line: each.problem for each in answer.context["wrong"]}
    assert list(problems) == [3, 4, 5, 6, 8, 9]
    assert "line 2" in problems[4]
    assert "spring" in problems[5]
    sure = browser.post(reverse(IMPORT), {"text": "\n".join(lines), "number": uuid4()})
    assert sure.context["wrong"]
    assert Link.objects.count() == 1


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "empty"),
        (b"target\n", "no line below"),
        (b"a,b\nhttps://example.org,x\n", "names the columns"),
        (b"target\n" + b"https://example.org\n" * 1001, "more than 1000 lines"),
        (b"target\n" + b"x" * 1_000_001, "megabyte"),
        (b"target\nhttps://example.org/\x00\n", "no text"),
        (b'target\n"https://example.org\n', "quote is not closed"),
    ],
)
def test_a_file_that_is_none_of_links_says_why(promoter_paula: Any, raw: bytes, told: str) -> None:
    answer = upload(desk_of(promoter_paula), raw)
    assert answer.status_code == 200
    assert told in answer.text
    assert not Link.objects.exists()


def test_an_export_holds_no_formula_and_comes_back_by_its_columns(promoter_paula: Any) -> None:
    labels = ["=HYPERLINK(1)", "+1", "-1", "@x", "\t=1", 'a"b;c']
    promoter_paula.username = "=paula"
    promoter_paula.save()
    for label in labels:
        new = NewLink(target="https://example.org/?a=1", label=label)
        create_link(new=new, owner_id=promoter_paula.pk, by="paula")
    answer = desk_of(promoter_paula).get(reverse("admin:snip_link_export"))
    _head, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))
    cells = [cell for row in rows for cell in row]
    assert [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r")] == []
    assert {row[3] for row in rows} == {"https://example.org/?a=1"}
    assert rows[0][2] == 'a"b;c'
