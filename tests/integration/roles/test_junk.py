"""Junk to every page of the desk: it is refused in words, and every answer is held to the policy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from django.urls import resolve

from jobs.admin.read_only import SturdyAdmin
from tests.desk_pages import desk_pages
from tests.fixtures_desk import Desk

pytestmark = pytest.mark.django_db

SAMPLE_MAIL = "boxoffice_sample_mail_html"
"""A mail as mail programs show it, in a frame of its own with a policy of its own."""

HOSTILE = "a\u202e'\"%_\\;--<script>alert(1)</script>²" + "9" * 3000
TOO_LARGE = "9" * 30

_ASKED = "q kind key show first last from by day about older_than task cause seats"
_TYPED = "reason amount name email seats text kind number line priority starts_at"
IN_ANY_ADDRESS = dict.fromkeys(_ASKED.split(), HOSTILE) | {
    "next": "//evil.example",
    "number": TOO_LARGE,
    "_popup": "1",
    "_changelist_filters": "%%",
}
IN_ANY_FORM = dict.fromkeys(_TYPED.split(), HOSTILE) | {"action": "x", "_save": "", "next": "//evil.example"}
IN_A_LISTS_ADDRESS: tuple[dict[str, Any], ...] = (
    {"q": f'"{HOSTILE}', "o": f"-1.99.x.²{TOO_LARGE}", "p": TOO_LARGE, "all": ""},
    {"q": TOO_LARGE, "_to_field": "email"},
    {"name__regex": "("},
    {"status__isnull": "x", "state": "x"},
    {"id__in": "1,x"},
)
TICKED = {"action": "delete_selected", "_selected_action": ["x", "²", TOO_LARGE], "index": "x", "select_across": "x"}

INLINE = re.compile(
    rb"<script(?![^>]*\bsrc=)(?![^>]*application/json)|<style|<[^>]*\s(?:style|on[a-z]+)=[\"']|(?:href|src)=[\"']?javascript:",
    re.IGNORECASE,
)


class Walk:
    """Asks in a savepoint that is undone, so that no junk outlives its question; keeps what was answered wrongly."""

    def __init__(self) -> None:
        self.wrong: list[tuple[str, ...]] = []
        self.browser = Client(raise_request_exception=False)
        self.browser.force_login(get_user_model().objects.create_superuser("root"))

    def ask(self, name: str, address: str, data: Any = None, *, post: bool = False) -> None:
        with transaction.atomic():
            answer = (self.browser.post if post else self.browser.get)(address, data or {})
            transaction.set_rollback(True)
        self.wrong += [(name, address, str(data)[:60], what) for what in _faults(name, answer)]


def _faults(name: str, answer: Any) -> Iterator[str]:
    if answer.status_code >= 500:
        yield repr(answer.exc_info[1] if answer.exc_info else answer.status_code)[:200]
    policy = answer.headers.get("Content-Security-Policy", "")
    if name == SAMPLE_MAIL and answer.status_code == 200:
        return
    if not policy or "unsafe" in policy:
        yield f"the policy is {policy!r}"
    if answer.headers.get("X-Frame-Options") != "DENY":
        yield "it can be framed"
    if answer.status_code == 200 and "no-store" not in answer.headers.get("Cache-Control", ""):
        yield "a cache keeps it"
    if not answer.streaming and (inline := INLINE.search(answer.content)):
        yield f"inline: {inline[0]!r}"


def test_no_junk_in_an_address_or_a_form_breaks_a_page(full_desk: Desk) -> None:
    walk = Walk()
    for page, address in [(page, full_desk.address_of(page)) for page in desk_pages()]:
        if page.name.endswith("_changelist"):
            for query in IN_A_LISTS_ADDRESS:
                walk.ask(page.name, address, query)
            walk.ask(page.name, address, TICKED, post=True)
        else:
            walk.ask(page.name, address, IN_ANY_ADDRESS)
            walk.ask(page.name, address, IN_ANY_FORM, post=True)
    assert walk.wrong == []


def test_no_number_that_nothing_has_breaks_a_page(full_desk: Desk) -> None:
    walk = Walk()
    for name, address in _about_nothing(full_desk):
        walk.ask(name, address)
    assert walk.wrong == []


def _about_nothing(desk: Desk) -> Iterator[tuple[str, str]]:
    for page in desk_pages():
        good = desk.address_of(page)
        for number in [str(value) for name, value in resolve(good).kwargs.items() if name != "verb"]:
            for other in (TOO_LARGE, "x%00", "²"):
                yield page.name, good.replace(f"/{quote(number)}/", f"/{other}/", 1)


def test_what_no_page_answers_is_held_to_the_policy_too() -> None:
    walk = Walk()
    for address in ("/admin/nothing/", "/admin/?q=%00", "/admin/r/1/1/", "/admin/autocomplete/?term=a", "/nothing/"):
        walk.ask("", address)
    walk.browser.handler.enforce_csrf_checks = True
    walk.ask("", "/admin/password_change/", {"old_password": "x"}, post=True)
    walk.browser.logout()
    walk.ask("", "/admin/login/", {"username": HOSTILE, "password": "x"}, post=True)
    walk.ask("", "/admin/login/?next=//evil.example")
    assert walk.wrong == []


def test_every_list_takes_junk_for_what_it_is() -> None:
    # Django's own lets anybody filter by any column, letter by letter, and fails over most garbage.
    assert [page for page in admin.site._registry.values() if not isinstance(page, SturdyAdmin)] == []
