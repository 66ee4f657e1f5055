"""Links at the desk: who sees and changes which, and what the pages do."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
import zxingcpp
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import translation
from PIL import Image

from boxoffice.audit.trails import reason_in_words
from boxoffice.models import Promotion
from inventory.models import Show
from jobs.clock import database_now
from snip.links.block_link import block_link
from snip.links.create_link import NewLink, create_link
from snip.models import Link, LinkAction, LinkCode
from tests.fixtures_links import desk_of

pytestmark = pytest.mark.django_db

LIST, ADD, IMPORT = "admin:snip_link_changelist", "admin:snip_link_add", "admin:snip_link_import"
ABOUT_ONE = ("change", "history", "edit", "words", "delete", "qr_svg", "qr_png")


def page(name: str, link: Link) -> str:
    return reverse(f"admin:snip_link_{name}", args=[link.pk])


def form(link: Link | None = None, **changed: Any) -> dict[str, Any]:
    given = {"target": "https://example.org/new", "label": "", "alias": "", "expires": "", "show": ""}
    seen = {"seen": link.version} if link else {"number": uuid4()}
    return {**given, **seen, **changed}


def upload(browser: Client, text: str | bytes) -> Any:
    raw = text.encode() if isinstance(text, str) else text
    return browser.post(reverse(IMPORT), {"file": SimpleUploadedFile("links.csv", raw)})


@pytest.fixture
def paulas_show(show_on_sale: Show, promoter_paula: Any) -> Show:
    Promotion.objects.create(show=show_on_sale, promoter=promoter_paula)
    return show_on_sale


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


def test_a_promoter_makes_links_of_his_own_whatever_owner_he_sends(promoter_paula: Any, promoter_peter: Any) -> None:
    browser = desk_of(promoter_paula)
    answer = browser.post(reverse(ADD), form(alias="Garden", owner=promoter_peter.pk))
    link = Link.objects.get()
    assert answer.url == page("change", link)
    assert (link.owner, link.state, link.version) == (promoter_paula, "scanning", 1)
    assert {code.code for code in link.codes.all()} > {"garden"}
    assert LinkAction.objects.get().by == "paula"


def test_the_form_sent_twice_makes_one_link_and_leads_to_it_both_times(promoter_paula: Any) -> None:
    browser, given = desk_of(promoter_paula), form(alias="garden")
    first = browser.post(reverse(ADD), given)
    # Another browser of his has another session, and its word is not told to be somebody else's.
    second = desk_of(promoter_paula).post(reverse(ADD), given)
    assert first.url == second.url == page("change", Link.objects.get())
    assert "already" in browser.post(reverse(ADD), given, follow=True).text


def test_a_number_that_made_somebody_elses_link_tells_nothing_of_it(promoter_paula: Any, promoter_peter: Any) -> None:
    given = form(label="Secret")
    desk_of(promoter_paula).post(reverse(ADD), given)
    answer = desk_of(promoter_peter).post(reverse(ADD), given, follow=True)
    assert "Secret" not in answer.text
    assert Link.objects.count() == 1


def test_a_show_alone_is_enough_and_its_page_is_the_target(promoter_paula: Any, paulas_show: Show) -> None:
    browser = desk_of(promoter_paula)
    browser.post(reverse(ADD), form(target="", show=paulas_show.pk, expires="2099-05-31T18:00"))
    link = Link.objects.get()
    assert link.target.endswith(f"/shows/{paulas_show.slug}/")
    assert link.show_id == paulas_show.pk
    assert link.expires_at is not None
    assert f"{link.expires_at.astimezone(paulas_show.venue.zone):%Y-%m-%d %H:%M}" == "2099-05-31 18:00"
    assert 'value="2099-05-31T18:00"' in browser.get(page("edit", link)).text


def test_another_show_takes_its_page_with_it_unless_the_link_led_elsewhere(
    promoter_paula: Any, paulas_show: Show, other_show: Show
) -> None:
    Promotion.objects.create(show=other_show, promoter=promoter_paula)
    browser = desk_of(promoter_paula)
    browser.post(reverse(ADD), form(target="", show=paulas_show.pk))
    link = Link.objects.get()
    told = "The target is not this show’s page."

    def saved(**changed: Any) -> Link:
        assert browser.post(page("edit", link), form(link, **changed)).status_code == 302
        link.refresh_from_db()
        return link

    assert saved(target=link.target, show=other_show.pk).target.endswith(f"/shows/{other_show.slug}/")
    assert told not in browser.get(page("change", link)).text
    assert saved(target="https://example.org/artist", show=other_show.pk).show_id == other_show.pk
    assert told in browser.get(page("change", link)).text
    assert saved(target=link.target, show=paulas_show.pk).target == "https://example.org/artist"
    assert saved(target="", show=paulas_show.pk).target.endswith(f"/shows/{paulas_show.slug}/")


def test_an_expiry_that_is_over_is_told_with_whatever_else_is_wrong(paulas_link: Link, promoter_paula: Any) -> None:
    wrong = form(target="javascript:alert(1)", alias="a b", expires="2001-01-01T00:00")
    answer = desk_of(promoter_paula).post(reverse(ADD), wrong).text
    assert all(told in answer for told in ("no address of a web page", "3 to 32 letters", "over already"))
    Link.objects.filter(pk=paulas_link.pk).update(expires_at=database_now() - timedelta(days=1))
    paulas_link.refresh_from_db()
    typed = f"{paulas_link.expires_at:%Y-%m-%dT%H:%M}"
    kept = form(paulas_link, label="Late", target=paulas_link.target, expires=typed)
    assert desk_of(promoter_paula).post(page("edit", paulas_link), kept).status_code == 302


def test_the_trail_and_the_expiry_are_told_in_the_readers_language(paulas_link: Link, promoter_paula: Any) -> None:
    browser = desk_of(promoter_paula)
    given = form(paulas_link, label="Station", target=paulas_link.target, expires="2099-05-31T23:59")
    browser.post(page("edit", paulas_link), given)
    english = browser.get(page("change", paulas_link)).text
    german = browser.get(page("change", paulas_link), headers={"accept-language": "de"}).text
    assert "expires: – → Sun 31 May 2099, 23:59, UTC" in english
    assert "Name: Poster → Station; läuft ab" in german
    assert ": – → So., 31. Mai 2099, 23:59 Uhr, UTC" in german
    assert "<dd>So., 31. Mai 2099, 23:59 Uhr, UTC</dd>" in german
    assert "2099-05-31" not in german
    kept = LinkAction.objects.get(action="edit").what
    with translation.override("de"):
        assert reason_in_words(trail="links", did="edit", reason=kept) in german
        assert reason_in_words(trail="links", did="block", reason=kept) == kept


def test_a_promoter_is_offered_the_shows_that_he_promotes_alone(promoter_peter: Any, paulas_show: Show) -> None:
    browser = desk_of(promoter_peter)
    assert paulas_show.title not in browser.get(reverse(ADD)).text
    assert browser.post(reverse(ADD), form(show=paulas_show.pk)).status_code == 200
    assert not Link.objects.exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"target": ""}, "Enter an address"),
        ({"target": "javascript:alert(1)"}, "no address of a web page"),
        ({"alias": "a b"}, "3 to 32 letters"),
        ({"alias": "Admin"}, "kept for the site"),
        ({"alias": "spring"}, "is or was a link"),
        ({"expires": "2001-01-01T00:00"}, "over already"),
        ({"expires": "soon"}, "no date and time"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(
    paulas_link: Link, promoter_paula: Any, given: dict[str, str], told: str
) -> None:
    answer = desk_of(promoter_paula).post(reverse(ADD), form(label="At the station", **given))
    assert answer.status_code == 200
    assert told in answer.text
    assert 'value="At the station"' in answer.text
    assert Link.objects.count() == 1


def test_a_change_by_somebody_else_meanwhile_is_not_overwritten(paulas_link: Link, promoter_paula: Any) -> None:
    browser = desk_of(promoter_paula)
    Link.objects.filter(pk=paulas_link.pk).update(version=2)
    answer = browser.post(page("edit", paulas_link), form(paulas_link), follow=True)
    assert "changed or blocked meanwhile" in answer.text
    paulas_link.refresh_from_db()
    assert paulas_link.target == "https://example.org/spring"


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
