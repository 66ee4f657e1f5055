"""The form in which links are made and changed: once, by whom they belong to, with what is wrong at its field."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import translation

from boxoffice.audit.trails import reason_in_words
from boxoffice.models import Promotion
from inventory.models import Show
from jobs.clock import database_now
from snip.models import Link, LinkAction
from tests.fixtures_links import desk_of
from tests.link_pages import ADD, form, page

pytestmark = pytest.mark.django_db


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
