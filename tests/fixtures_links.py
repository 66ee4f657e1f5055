"""Links with their owners, as the desk's tests need them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client

from boxoffice.roles.table import PROMOTER, SUPPORT
from snip.links import transitions
from snip.links.create_link import NewLink, create_link
from snip.models import Link


@pytest.fixture
def promoter_paula(db: None) -> Any:
    return person_of_role("paula", PROMOTER)


@pytest.fixture
def promoter_peter(db: None) -> Any:
    return person_of_role("peter", PROMOTER)


@pytest.fixture
def supporter_sue(db: None) -> Any:
    return person_of_role("sue", SUPPORT)


@pytest.fixture
def paulas_link(promoter_paula: Any) -> Link:
    """Live, with a word of its own."""
    new = NewLink(target="https://example.org/spring", label="Poster", alias="spring")
    link = create_link(new=new, owner_id=promoter_paula.pk, by="paula")
    assert transitions.pass_scan(link_id=link.pk, version=1)
    link.refresh_from_db()
    return link


def desk_of(user: Any) -> Client:
    """A browser in which this person is logged in."""
    browser = Client()
    browser.force_login(user)
    return browser


def person_of_role(name: str, role: str) -> Any:
    """Somebody who works here; the groups are there."""
    user = get_user_model().objects.create_user(name, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user
