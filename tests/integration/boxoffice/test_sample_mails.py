"""The staff page of all mails: what is shown there is what is sent, and nothing of it can do harm."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import translation

from boxoffice.messages import KINDS, KINDS_FOR_EACH_TIME, KINDS_FOR_MANY
from boxoffice.messages.base import lay_out
from boxoffice.messages.samples import Sample, samples
from boxoffice.unsubscribe_link import unsubscribe_address
from notifications.channels.email.compose import compose
from tests.fixtures_boxoffice import statements
from tests.fixtures_staff import staff_with

LANGUAGES = [code for code, _ in settings.LANGUAGES]
EVERY = [(number, language) for number in range(len(samples())) for language in LANGUAGES]
PAGE, FRAME = "/admin/boxoffice/order/messages/", "/admin/boxoffice/order/messages/html/"


def shown(sample: Sample, language: str) -> tuple[str, str, str]:
    """Subject, text, HTML."""
    with translation.override(language):
        ended_at = unsubscribe_address(kind=sample.kind, address="") if sample.can_be_ended else ""
        mail = lay_out(sample.draft(), to_address="ada@example.org", unsubscribe_url=ended_at)
        compose(content=mail, message_id="<1@example.org>")
        return mail.subject, mail.text, mail.html


def test_every_kind_has_a_sample() -> None:
    assert {each.kind for each in samples()} == {*KINDS, *KINDS_FOR_MANY, *KINDS_FOR_EACH_TIME}


@pytest.mark.parametrize(("number", "language"), EVERY)
def test_every_mail_is_laid_out_for_mail_programs_and_stands_on_its_own_as_text(number: int, language: str) -> None:
    sample = samples()[number]
    subject, text, html = shown(sample, language)
    assert f'<html lang="{language}" dir="ltr">' in html
    assert not re.search(r"<script|<link|src=|url\(|@import|\son\w+=", html)
    assert "max-width:600px" in html
    assert html.count('class="button"') == 1
    assert not re.search(r"[{]|[%][}]|[}][}]|%\(|None\b", re.sub(r"(?s)<style>.*?</style>", "", html) + text + subject)
    assert len(html.encode()) < 100_000  # from there on Gmail cuts a mail off
    address = re.findall(r'href="([^"]+)"', html)[0]
    assert f"\n{address}\n" in text
    assert ("List-Unsubscribe" in html, sample.can_be_ended) != (True, False)
    if sample.can_be_ended:
        assert "/mails/" in html
        assert "/mails/" in text


@pytest.mark.parametrize("number", range(len(samples())))
def test_no_mail_says_the_same_in_both_languages(number: int) -> None:
    english, german = (shown(samples()[number], language) for language in ("en", "de"))
    assert english[0] != german[0]
    assert not set(re.findall(r"[^\n]{30,}", english[1])) & set(re.findall(r"[^\n]{30,}", german[1])) - {
        line for line in english[1].splitlines() if line.startswith("http") or "Shakespeare" in line or "songs" in line
    }


def test_samples_need_no_database() -> None:
    for sample in samples():
        shown(sample, "en")  # no django_db mark: a query would fail
    assert not connection.in_atomic_block


@pytest.mark.django_db
def test_staff_see_subject_preheader_text_and_a_frame_for_each_kind_and_language(staff: Client) -> None:
    with statements() as queries:
        page = staff.get(PAGE, {"number": 0, "in": "de"}).content.decode()
    own = [each for each in queries if "GROUP BY kind" not in each]  # the header's number of what needs attention
    assert not [each for each in own if "boxoffice_" in each or "notifications_" in each]
    assert "Ihre Tickets: Der Sturm, Sa., 11. Dez. 2032" in page
    assert "Hallo Ada Lovelace, hier sind Ihre 2 Tickets" in page
    assert '<iframe sandbox src="/admin/boxoffice/order/messages/html/?number=0&amp;in=de"' in page
    assert page.count("?number=") >= len(samples())
    bulk = next(place for place, each in enumerate(samples()) if each.can_be_ended)
    assert "List-Unsubscribe-Post" in staff.get(PAGE, {"number": bulk}).content.decode()
    for query in ({"number": 99}, {"number": "x"}, {"in": "xx"}):
        assert staff.get(PAGE, query).status_code == 404


@pytest.mark.django_db
def test_the_frame_can_load_nothing_and_run_nothing_and_only_we_may_frame_it(staff: Client) -> None:
    answer = staff.get(FRAME, {"number": 0, "in": "en"})
    policy = answer["Content-Security-Policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert answer.content.decode().startswith("<!doctype html>")
    assert "unsafe" not in staff.get(PAGE)["Content-Security-Policy"]


@pytest.mark.django_db
def test_whoever_may_not_see_mails_sees_no_samples(client: Client) -> None:
    support = staff_with(client, "view_order")
    assert (support.get(PAGE).status_code, support.get(FRAME).status_code) == (403, 403)
