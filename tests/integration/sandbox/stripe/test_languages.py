"""The payment page speaks the session's language, or the browser's where the session leaves it open."""

from __future__ import annotations

import re
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import pytest

from sandbox.stripe.cards import CARDS, MESSAGES
from sandbox.stripe.languages import ENGLISH, GERMAN, IN_GERMAN
from sandbox.stripe.pay_session import NOT_AUTHENTICATED
from tests.fixtures_payments import Payments


def page(opener: OpenerDirector, address: str, *, asks_for: str = "", **typed: str) -> str:
    """What a browser reads, which sends ``typed`` where there is something."""
    data = urlencode(typed).encode() if typed else None
    opener.addheaders = [("Accept-Language", asks_for)]
    request = Request(address, data)
    return str(opener.open(request, timeout=10).read().decode())


@pytest.mark.parametrize(
    ("locale", "asks_for", "german"),
    [("de", "en-GB", True), ("en", "de-DE", False), ("auto", "de-AT,de;q=0.9", True), ("auto", "fr", False)],
)
def test_the_page_is_in_the_sessions_language_or_in_the_browsers(
    payments: Payments, locale: str, asks_for: str, german: bool
) -> None:
    session = payments.open_session(locale=locale)
    text = page(build_opener(), str(session.url), asks_for=asks_for)
    assert ("Zu zahlen" in text, "84,00 EUR" in text, '<html lang="de">' in text) == (german,) * 3
    assert ("To pay" in text, "84.00 EUR" in text) == (not german,) * 2
    payments.client().v1.checkout.sessions.expire(session.id)


def test_everything_that_a_customer_can_read_is_said_in_german_too() -> None:
    assert ENGLISH.keys() == GERMAN.keys()
    said = {card.words for card in CARDS.values()} | {words for _code, words in MESSAGES.values()}
    assert said | {NOT_AUTHENTICATED} == IN_GERMAN.keys()


def test_a_german_form_without_an_address_says_in_german_what_is_missing(payments: Payments) -> None:
    session = payments.open_session(locale="de")
    opener = build_opener(HTTPCookieProcessor())
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page(opener, str(session.url)))
    assert token is not None
    with pytest.raises(Exception, match="422") as refused:
        page(opener, str(session.url), csrfmiddlewaretoken=token[1], card="pays", email="")
    assert "Geben Sie eine E-Mail-Adresse ein" in refused.value.read().decode()  # type: ignore[attr-defined]


def test_a_language_of_one_country_is_taken(payments: Payments) -> None:
    assert payments.open_session(locale="pt-BR").locale == "pt-BR"
