"""Asking on a show's page to be told when its sale opens, and taking the address out again."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from boxoffice.ask_to_be_told import ask_to_be_told
from boxoffice.models import SaleAlert
from boxoffice.storefront.asked_before import MOST_PER_BROWSER
from inventory.advance_show import advance_show
from inventory.models import Show
from jobs.clock import database_now
from notifications.limits import askers
from tests.fixtures_boxoffice import statements
from tests.fixtures_clock import Clock
from tests.ports import free_ports

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def page_of(show: Show) -> str:
    return f"/shows/{show.slug}/"


def form_of(show: Show) -> str:
    return f"/shows/{show.slug}/tell-me/"


def ask(client: Client, show: Show, email: str = "ada@example.org", **headers: str) -> Any:
    return client.post(form_of(show), {"email": email}, headers=headers)


@pytest.fixture
def alert(show_opening_tomorrow: Show) -> SaleAlert:
    ask_to_be_told(show_id=show_opening_tomorrow.pk, email="ada@example.org", language="en")
    return SaleAlert.objects.get()


def test_before_the_opening_the_page_says_when_it_is_and_takes_an_address_without_a_script(
    client: Client, show_opening_tomorrow: Show
) -> None:
    page = client.get(page_of(show_opening_tomorrow)).content.decode()
    assert f"{show_opening_tomorrow.on_sale_at_local:%H:%M}, Berlin time" in page
    assert f'method="post" action="{form_of(show_opening_tomorrow)}"' in page
    assert '<label for="email">' in page
    assert "We use the address for nothing else and erase it the night after." in page
    assert "Load the page again" in page


@pytest.mark.parametrize("status", ["on sale", Show.Status.CANCELLED, Show.Status.POSTPONED])
def test_a_show_that_is_open_or_will_not_open_takes_no_address(
    client: Client, make_show: Callable[..., Show], status: str
) -> None:
    show = make_show(**({} if status == "on sale" else {"on_sale_at": database_now() + DAY}))
    if status != "on sale":
        advance_show(show_id=show.pk, to=Show.Status(status))
    assert "tell-me" not in client.get(page_of(show)).content.decode()


def test_asking_leads_back_to_the_page_which_says_so_and_the_address_stands_in_no_address(
    client: Client, show_opening_tomorrow: Show
) -> None:
    answer = ask(client, show_opening_tomorrow)
    assert (answer.status_code, answer["Location"]) == (303, f"{page_of(show_opening_tomorrow)}?asked=1#tell-me")
    page = client.get(answer["Location"]).content.decode()
    assert "We will write to <b>ada@example.org</b> when the sale opens, once." in page
    assert SaleAlert.objects.get().email == "ada@example.org"


def test_asking_takes_four_statements(client: Client, show_opening_tomorrow: Show) -> None:
    with statements() as seen:
        ask(client, show_opening_tomorrow)
    assert len(seen) == 4


def test_an_address_that_is_known_gets_the_very_same_answer(client: Client, show_opening_tomorrow: Show) -> None:
    answers = [ask(Client(), show_opening_tomorrow) for _ in range(2)]
    assert len({(answer.status_code, answer["Location"], answer.content) for answer in answers}) == 1
    pages = [client.get(answers[0]["Location"]).content.decode() for _ in range(2)]
    assert len({re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page) for page in pages}) == 1
    assert SaleAlert.objects.count() == 1


def test_the_mail_will_speak_the_language_of_the_page(client: Client, show_opening_tomorrow: Show) -> None:
    answer = ask(client, show_opening_tomorrow, **{"Accept-Language": "de"})
    assert SaleAlert.objects.get().language == "de"
    page = client.get(answer["Location"], headers={"Accept-Language": "de"}).content.decode()
    assert "Wir schreiben zum Verkaufsstart an <b>ada@example.org</b>, einmal." in page


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "Enter the e-mail address that we should write to."),
        ("ada@example", "This is not a complete e-mail address."),
        ("ada@example.org\r\nBcc: eve@example.org", "contains a space or a line break"),
        ('"><script>alert(1)</script>@example.org', "e-mail address"),
    ],
)
def test_what_is_no_address_stays_in_its_field_with_a_sentence_beside_it(
    client: Client, show_opening_tomorrow: Show, typed: str, says: str
) -> None:
    answer = ask(client, show_opening_tomorrow, typed)
    page = answer.content.decode()
    field = re.search(r'<input id="email"[^>]*>', page)
    assert answer.status_code == 422
    assert re.search(rf'<p class="problem" id="email-problem">[^<]*{re.escape(says)}', page)
    assert field
    assert 'aria-invalid="true" autofocus' in field[0]
    assert "<script>alert" not in page
    if typed == "ada@example":
        assert 'value="ada@example"' in field[0]
    assert not SaleAlert.objects.exists()


def test_after_a_refusal_the_language_can_be_changed_and_the_page_loaded_again(
    client: Client, show_opening_tomorrow: Show
) -> None:
    page = ask(client, show_opening_tomorrow, "ada").content.decode()
    assert f'name="next" value="{page_of(show_opening_tomorrow)}"' in page
    answer = client.get(form_of(show_opening_tomorrow))
    assert (answer.status_code, answer["Location"]) == (303, page_of(show_opening_tomorrow))


def test_who_asks_when_the_sale_has_just_opened_is_led_to_its_seats(
    client: Client, show_opening_tomorrow: Show, clock: Clock
) -> None:
    clock.advance(DAY)
    answer = ask(client, show_opening_tomorrow)
    assert (answer.status_code, answer["Location"]) == (303, f"{page_of(show_opening_tomorrow)}?opened=1")
    page = client.get(answer["Location"]).content.decode()
    assert "The sale has opened meanwhile. Choose your seats." in page
    assert 'name="seats"' in page
    assert not SaleAlert.objects.exists()


def test_who_asks_for_a_show_that_was_cancelled_meanwhile_reads_so(client: Client, show_opening_tomorrow: Show) -> None:
    advance_show(show_id=show_opening_tomorrow.pk, to=Show.Status.CANCELLED)
    answer = ask(client, show_opening_tomorrow)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "No sale of this show lies ahead." in page
    assert "Cancelled" in page


@pytest.mark.parametrize("slug", ["no-such-show", "the-draft"])
def test_a_show_that_is_not_there_or_not_announced_is_a_friendly_404(
    client: Client, draft_show: Show, slug: str
) -> None:
    slug = draft_show.slug if slug == "the-draft" else slug
    answer = client.post(f"/shows/{slug}/tell-me/", {"email": "ada@example.org"})
    assert answer.status_code == 404
    assert "See all shows" in answer.content.decode()


def test_a_browser_that_asks_again_and_again_is_asked_to_pause_and_keeps_what_it_typed(
    client: Client, show_opening_tomorrow: Show
) -> None:
    for number in range(MOST_PER_BROWSER):
        assert ask(client, show_opening_tomorrow, f"fan{number}@example.org").status_code == 303
    answer = ask(client, show_opening_tomorrow, "eve@example.org")
    page = answer.content.decode()
    assert answer.status_code == 429
    assert "Try again in an hour." in page
    assert 'value="eve@example.org"' in page
    assert SaleAlert.objects.count() == MOST_PER_BROWSER
    assert ask(Client(), show_opening_tomorrow, "eve@example.org").status_code == 303


def test_sixty_new_browsers_of_one_network_are_asked_to_pause_and_another_network_is_not(
    show_opening_tomorrow: Show,
) -> None:
    answers = [ask(Client(), show_opening_tomorrow, f"fan{number}@example.org") for number in range(60)]
    assert [answer.status_code for answer in answers] == [303] * askers.MOST + [429] * (60 - askers.MOST)
    page = answers[-1].content.decode()
    assert "Try again in ten minutes." in page
    assert 'value="fan59@example.org"' in page
    assert ask(Client(REMOTE_ADDR="203.0.113.7"), show_opening_tomorrow, "eve@example.org").status_code == 303
    assert SaleAlert.objects.count() == askers.MOST + 1


def test_redis_being_away_stops_nobody_from_asking(show_opening_tomorrow: Show, settings: Any) -> None:
    (port,) = free_ports(1)
    settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
    assert ask(Client(), show_opening_tomorrow).status_code == 303


@pytest.mark.parametrize("forged", ["0", "0:forged", "-5:1:x", "\x00", "9" * 5000])
def test_a_count_that_was_forged_counts_as_none_and_breaks_nothing(
    client: Client, show_opening_tomorrow: Show, forged: str
) -> None:
    client.cookies["asked"] = forged
    assert ask(client, show_opening_tomorrow).status_code == 303


def test_the_form_is_refused_without_its_csrf_token(show_opening_tomorrow: Show, alert: SaleAlert) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert ask(strict, show_opening_tomorrow, "eve@example.org").status_code == 403
    assert strict.post(f"/alerts/{alert.token}/").status_code == 403
    assert list(SaleAlert.objects.all()) == [alert]


# The link in the mail


def test_looking_at_the_link_erases_nothing_and_shows_the_address_to_nobody(client: Client, alert: SaleAlert) -> None:
    answer = client.get(f"/alerts/{alert.token}/")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Erase your address?" in page
    assert "Paper Boats" in page
    assert "ada@example.org" not in page
    assert SaleAlert.objects.exists()
    assert answer["X-Robots-Tag"] == "noindex"
    assert "no-store" in answer["Cache-Control"]


def test_the_button_erases_the_address_and_pressing_it_twice_reads_the_same(client: Client, alert: SaleAlert) -> None:
    answers = [client.post(f"/alerts/{alert.token}/") for _ in range(2)]
    for answer in answers:
        assert answer.status_code == 200
        assert "Your address is erased" in answer.content.decode()
    assert not SaleAlert.objects.exists()


def test_a_link_whose_address_is_gone_says_so(client: Client, alert: SaleAlert) -> None:
    for token in ("x", alert.token[:-1]):
        answer = client.get(f"/alerts/{token}/")
        assert answer.status_code == 404
        assert "Nothing is stored here" in answer.content.decode()


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_other_methods_are_refused(client: Client, alert: SaleAlert, method: str) -> None:
    assert getattr(client, method)(form_of(alert.show)).status_code == 405
    assert getattr(client, method)(f"/alerts/{alert.token}/").status_code == 405
    assert SaleAlert.objects.exists()


def test_the_page_after_asking_shows_the_address_once_and_no_address_bar_does(
    client: Client, show_opening_tomorrow: Show
) -> None:
    answer = ask(client, show_opening_tomorrow, email="ada@exmaple.org")
    assert "exmaple" not in answer["Location"]
    page = client.get(answer["Location"].partition("#")[0]).content.decode()
    assert "We will write to <b>ada@exmaple.org</b> when the sale opens" in page
    other = Client().get(answer["Location"].partition("#")[0]).content.decode()
    assert "We will write to you when the sale opens" in other
    client.cookies["asked_for"] = "forged@example.org"
    assert "forged" not in client.get(answer["Location"].partition("#")[0]).content.decode()
