"""Two presses within the same moment, which both find that nothing was made yet."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.urls import reverse

from boxoffice.roles.make_groups import make_groups
from snip.links.create_link import NewLink, create_links
from snip.models import Link
from tests.fixtures_links import desk_of, person_of_role
from tests.processes import wait_for
from tests.waiting_sessions import run_and_close, somebody_waits_for_us


@pytest.mark.django_db(transaction=True)
def test_the_second_press_waits_for_the_first_and_makes_nothing() -> None:
    make_groups()
    browser = desk_of(paula := person_of_role("paula", "Promoter"))
    typed = {"target": "https://example.org", "label": "", "alias": "garden", "expires": "", "show": ""}
    presses = (
        ("admin:snip_link_add", typed),
        ("admin:snip_link_import", {"text": "target,word\nhttps://example.org,meadow\nhttps://example.org,\n"}),
    )
    for page, given in presses:
        number, answers = uuid4(), list[Any]()
        post = partial(browser.post, reverse(page), {**given, "number": number})
        press = threading.Thread(target=run_and_close, args=(post, answers))
        before = Link.objects.count()
        with transaction.atomic():
            word = "garden" if given is typed else "meadow"
            create_links(
                new=[NewLink(target="https://example.org", alias=word)], owner_id=paula.pk, by="paula", number=number
            )
            press.start()
            wait_for(somebody_waits_for_us)
        press.join(20)
        assert answers.pop().status_code == 302
        assert Link.objects.count() == before + 1
