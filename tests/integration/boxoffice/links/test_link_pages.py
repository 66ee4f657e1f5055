"""Links at the desk: who sees which, and what the pages show."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
import zxingcpp
from django.urls import reverse
from PIL import Image

from inventory.models import Show
from jobs.clock import database_now
from snip.links.block_link import block_link
from snip.links.create_link import NewLink, create_link
from snip.models import Link, LinkCode
from tests.fixtures_links import desk_of
from tests.link_pages import ADD, LIST, form, page

pytestmark = pytest.mark.django_db
ABOUT_ONE = ("change", "history", "edit", "words", "delete", "qr_svg", "qr_png")


def test_a_promoter_sees_his_own_links_and_of_anothers_not_even_that_they_are_there(
    paulas_link: Link, promoter_paula: Any, promoter_peter: Any
) -> None:
    own, others = desk_of(promoter_paula), desk_of(promoter_peter)
    assert "Poster" in own.get(reverse(LIST)).text
    assert {name: own.get(page(name, paulas_link)).status_code for name in ABOUT_ONE} == dict.fromkeys(
        ABOUT_ONE, 200
    ) | {"history": 302, "words": 302}
    assert "Poster" not in others.get(reverse(LIST) + "?q=spring").text
    assert "spring" not in others.get(reverse("admin:snip_link_export")).text
    assert {name: others.get(page(name, paulas_link)).status_code for name in ABOUT_ONE} == dict.fromkeys(
        ABOUT_ONE, 404
    )


def test_nobody_changes_anothers_link_by_typing_its_address(paulas_link: Link, promoter_peter: Any) -> None:
    browser = desk_of(promoter_peter)
    sent = {"edit": form(paulas_link), "words": {"add": "mine"}, "delete": {"reason": "mine"}}
    assert {name: browser.post(page(name, paulas_link), given).status_code for name, given in sent.items()} == (
        dict.fromkeys(sent, 404)
    )
    assert browser.post(page("block", paulas_link), {"reason": "mine"}).status_code == 403
    paulas_link.refresh_from_db()
    assert (paulas_link.version, paulas_link.state) == (1, "live")


def test_support_sees_everybodys_links_and_gives_one_to_another_owner(
    paulas_link: Link, supporter_sue: Any, promoter_peter: Any
) -> None:
    browser = desk_of(supporter_sue)
    assert "paula" in browser.get(reverse(LIST)).text
    given = form(paulas_link, target=paulas_link.target, owner=promoter_peter.pk)
    assert browser.post(page("edit", paulas_link), given).status_code == 302
    paulas_link.refresh_from_db()
    assert (paulas_link.owner, paulas_link.state) == (promoter_peter, "live")


def test_staff_block_a_link_with_a_reason_and_its_owner_sees_it_and_cannot_change_it(
    paulas_link: Link, supporter_sue: Any, promoter_paula: Any
) -> None:
    browser = desk_of(supporter_sue)
    assert "Kept with your name" in browser.post(page("block", paulas_link), {"reason": ""}).text
    browser.post(page("block", paulas_link), {"reason": "A complaint"})
    paulas_link.refresh_from_db()
    assert paulas_link.state == "blocked"
    own = desk_of(promoter_paula)
    seen = own.get(page("change", paulas_link)).text
    assert "Staff have blocked it" in seen
    assert page("edit", paulas_link) not in seen
    answer = own.post(page("edit", paulas_link), form(paulas_link, seen=2), follow=True)
    assert "changed or blocked meanwhile" in answer.text
    browser.post(page("unblock", paulas_link), {"reason": "It was none"})
    paulas_link.refresh_from_db()
    assert paulas_link.state == "live"


def test_a_deleted_link_stays_in_the_list_with_its_codes_and_without_a_way_back(
    paulas_link: Link, promoter_paula: Any
) -> None:
    browser = desk_of(promoter_paula)
    answer = browser.post(page("delete", paulas_link), {"reason": "It is over"}, follow=True)
    assert "The link is deleted." in answer.text
    assert "spring" in answer.text
    assert not any(page(name, paulas_link) in answer.text for name in ("edit", "delete", "qr_png"))
    assert browser.get(page("qr_png", paulas_link)).status_code == 404
    assert "is or was a link" in browser.post(reverse(ADD), form(alias="spring")).text


def test_words_are_added_and_retired_on_the_links_page(paulas_link: Link, promoter_paula: Any) -> None:
    browser = desk_of(promoter_paula)
    assert (
        "/garden leads there too now" in browser.post(page("words", paulas_link), {"add": "Garden"}, follow=True).text
    )
    assert "is or was a link" in browser.post(page("words", paulas_link), {"add": "garden"}, follow=True).text
    assert "is retired" in browser.post(page("words", paulas_link), {"retire": "garden"}, follow=True).text
    assert LinkCode.objects.get(code="garden").retired_at is not None


def test_the_qr_code_is_had_as_svg_and_png_of_each_name(paulas_link: Link, promoter_paula: Any, settings: Any) -> None:
    settings.SNIP_BASE_URL = "https://bo.example.org"
    browser = desk_of(promoter_paula)
    for code in paulas_link.codes.values_list("code", flat=True):
        png = browser.get(page("qr_png", paulas_link) + f"?code={code}")
        assert png["Content-Disposition"] == f'attachment; filename="{code}.png"'
        picture = Image.open(io.BytesIO(png.content))
        assert zxingcpp.read_barcodes(picture)[0].text == f"https://bo.example.org/{code}"
        assert f">bo.example.org/{code}<" in browser.get(page("qr_svg", paulas_link) + f"?code={code}").text
    assert browser.get(page("qr_svg", paulas_link) + "?code=other").status_code == 404


def test_an_expired_link_says_so_though_no_job_has_run(paulas_link: Link, promoter_paula: Any) -> None:
    Link.objects.filter(pk=paulas_link.pk).update(expires_at=database_now() - timedelta(seconds=1))
    assert "its time is over" in desk_of(promoter_paula).get(page("change", paulas_link)).text


def test_an_empty_list_says_what_links_are_for(promoter_paula: Any) -> None:
    assert "Make the first one" in desk_of(promoter_paula).get(reverse(LIST)).text


def test_only_a_target_that_has_passed_is_a_link_at_the_desk_and_gives_its_site_no_hold(
    paulas_link: Link, supporter_sue: Any
) -> None:
    browser = desk_of(supporter_sue)
    assert 'href="https://example.org/spring" rel="noreferrer noopener nofollow"' in browser.get(
        page("change", paulas_link)
    ).text.replace("\n", " ")
    block_link(link_id=paulas_link.pk, by="sue", reason="phishing")
    blocked = browser.get(page("change", paulas_link)).text
    assert "https://example.org/spring" in blocked
    assert 'href="https://example.org' not in blocked


def test_a_new_link_is_offered_on_the_page_of_a_show_and_begins_with_it(
    promoter_paula: Any, promoter_peter: Any, paulas_show: Show
) -> None:
    show = reverse("admin:inventory_show_change", args=[paulas_show.pk])
    address = f"{reverse(ADD)}?show={paulas_show.pk}"
    browser = desk_of(promoter_paula)
    assert address in browser.get(show).text
    assert f'<option value="{paulas_show.pk}" selected>' in browser.get(address).text
    assert address not in desk_of(promoter_peter).get(show).text
    for odd in ("x", "0", "9" * 30, "1' OR"):
        assert browser.get(reverse(ADD), {"show": odd}).status_code == 200


def test_markup_in_a_name_or_a_target_is_text(promoter_paula: Any) -> None:
    label = "<script>alert(1)</script>"
    target = "https://example.org/" + quote('"><script>')
    link = create_link(new=NewLink(target=target, label=label), owner_id=promoter_paula.pk, by="paula")
    browser = desk_of(promoter_paula)
    for address in (reverse(LIST), page("change", link), page("edit", link), page("delete", link)):
        assert "<script>alert" not in browser.get(address).text


def test_the_list_costs_the_same_for_many_links(
    promoter_paula: Any, django_assert_max_num_queries: Any, paulas_link: Link
) -> None:
    for n in range(5):
        create_link(new=NewLink(target=f"https://example.org/{n}"), owner_id=promoter_paula.pk, by="paula")
    block_link(link_id=paulas_link.pk, by="sue", reason="x")
    browser = desk_of(promoter_paula)
    browser.get(reverse(LIST))
    with django_assert_max_num_queries(16):
        assert browser.get(reverse(LIST)).text.count("example.org/") >= 5
