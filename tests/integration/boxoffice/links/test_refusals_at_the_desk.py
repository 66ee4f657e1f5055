"""What the scanner refuses is told where the target is typed, and on the link's page in the reader's language."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.urls import reverse

from snip.links.create_link import NewLink, create_link
from snip.links.errors import TargetTooLong
from snip.links.transitions import refuse
from snip.models import Link
from snip.scan.refusals import Reason, Refused
from tests.fixtures_links import desk_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("http://127.0.0.1/", "private network"),
        ("https://printer.local/", "private network"),
        ("https://example.org:8443/", "names a port"),
        ("https://xn--80ak6aa92e.com/", "look like others"),
    ],
)
def test_a_hostile_target_makes_no_link_and_says_why_on_the_form(promoter_paula: Any, target: str, told: str) -> None:
    form = {"target": target, "label": "", "alias": "", "expires": "", "show": "", "number": uuid4()}
    page = desk_of(promoter_paula).post(reverse("admin:snip_link_add"), form)
    assert told in page.text
    assert not Link.objects.exists()


def test_a_refused_link_says_why_in_the_readers_language(promoter_paula: Any) -> None:
    new = NewLink(target="https://example.org/spring")
    link = create_link(new=new, owner_id=promoter_paula.pk, by="paula")
    with transaction.atomic():
        why = Refused(Reason.NOT_PUBLIC, hop=1).in_english()
        assert refuse(link_id=link.pk, version=1, why=why)
    address, desk = reverse("admin:snip_link_change", args=[link.pk]), desk_of(promoter_paula)
    assert "leads on to another one, which is refused. The address leads into a private" in desk.get(address).text
    assert "privates Netz" in desk.get(address, headers={"accept-language": "de"}).text


def test_a_target_that_is_too_long_is_refused_and_not_cut_by_the_browser(promoter_paula: Any) -> None:
    desk = desk_of(promoter_paula)
    field = re.search(r"<input[^>]*name=\"target\"[^>]*>", desk.get(reverse("admin:snip_link_add")).text)
    assert field is not None
    assert "maxlength" not in field[0]
    form = {"target": f"https://example.org/{'x' * 2_000}", "label": "", "alias": "", "expires": "", "show": ""}
    page = desk.post(reverse("admin:snip_link_add"), {**form, "number": uuid4()})
    assert str(TargetTooLong()) in page.text
    assert not Link.objects.exists()
