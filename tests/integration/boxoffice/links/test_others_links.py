"""What a promoter tries who wants to know of another one's links."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from jobs.clock import database_now
from snip.models import ClickDay, Link, LinkCode
from tests.fixtures_links import desk_of

pytestmark = pytest.mark.django_db

LIST, EXPORT, CLICKS = "admin:snip_link_changelist", "admin:snip_link_export", "admin:snip_clickday_changelist"
SECRET = ("Poster", "spring", "paula")


def test_no_list_answers_what_it_does_not_show(paulas_link: Link, promoter_peter: Any) -> None:
    browser = desk_of(promoter_peter)
    for asked in (
        *("owner__username__startswith=p", "owner=1", "owner__id__exact=1", "owner__password__startswith=p"),
        *("codes__code__startswith=s", "target__contains=sp", "served_target__regex=.", "show_id=1", "id__in=1,2"),
        *("label=P", "state__in=live", "refusal__contains=a", "actions__by=p", "check_of_target__ends_at__contains=s"),
    ):
        assert browser.get(f"{reverse(LIST)}?{asked}").status_code == 400, asked
        assert not any(word in browser.get(f"{reverse(EXPORT)}?{asked}").text for word in SECRET), asked


def test_searching_and_sorting_finds_his_own_alone(paulas_link: Link, promoter_peter: Any) -> None:
    browser = desk_of(promoter_peter)
    for asked in ("q=spring", "q=Poster", "o=1.2.3.4.5.6.-7", "all=", "state__exact=live", "p=1"):
        page = browser.get(f"{reverse(LIST)}?{asked}", follow=True)
        assert page.context["cl"].result_count == 0
        assert "owner" not in str(page.context["cl"].queryset.query.order_by)
        assert f"/snip/link/{paulas_link.pk}/" not in page.text


def test_a_choice_that_completes_itself_names_no_link_of_another(paulas_link: Link, promoter_peter: Any) -> None:
    browser = desk_of(promoter_peter)
    for model in ("linkcode", "linkaction", "targetcheck"):
        query = {"app_label": "snip", "model_name": model, "field_name": "link", "term": ""}
        answer = browser.get(reverse("admin:autocomplete"), query)
        assert answer.status_code == 403 or answer.json()["results"] == []


def test_the_clicks_of_another_are_in_no_figure(paulas_link: Link, promoter_peter: Any) -> None:
    for code in paulas_link.codes.all():
        ClickDay.objects.create(
            code=code.code, day=database_now().date(), by=ClickDay.By.HOUR, value="07", is_bot=False, clicks=4711
        )
    browser = desk_of(promoter_peter)
    for asked in ({}, {"link": paulas_link.pk}, {"link": f"{paulas_link.pk} "}, {"link": [paulas_link.pk, 0]}):
        page = browser.get(reverse(CLICKS), asked).text
        assert "4,711" not in page
        assert not any(word in page for word in SECRET)


def test_a_word_of_another_is_neither_retired_nor_taken_nor_drawn(paulas_link: Link, promoter_peter: Any) -> None:
    browser = desk_of(promoter_peter)
    form = {"target": "https://example.org", "label": "", "alias": "mine", "expires": "", "show": "", "number": uuid4()}
    browser.post(reverse("admin:snip_link_add"), form)
    (own,) = Link.objects.filter(owner=promoter_peter)
    words = reverse("admin:snip_link_words", args=[own.pk])
    assert "retired already" in browser.post(words, {"retire": "spring"}, follow=True).text
    assert "is or was a link" in browser.post(words, {"add": "spring"}, follow=True).text
    for kind in ("svg", "png"):
        address = reverse(f"admin:snip_link_qr_{kind}", args=[own.pk])
        assert browser.get(address, {"code": "spring"}).status_code == 404
    taken = SimpleUploadedFile("links.csv", b"target,word\nhttps://example.org,spring\n")
    looked = browser.post(reverse("admin:snip_link_import"), {"file": taken})
    assert "is or was a link" in looked.context["wrong"][0].problem
    assert "Choose a file first." in browser.post(reverse("admin:snip_link_import"), {}).text
    assert not any(word in looked.text for word in ("Poster", "paula"))
    assert LinkCode.objects.get(code="spring").retired_at is None
