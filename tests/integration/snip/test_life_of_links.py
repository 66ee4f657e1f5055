"""A link from its making to its end, by the services and the statements under them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import IntegrityError, connection, transaction

from jobs.clock import database_now
from jobs.errors import ReasonMissing
from jobs.models import Job
from snip.links import create_link as making
from snip.links import transitions
from snip.links.block_link import block_link, unblock_link
from snip.links.change_aliases import MOST as MOST_ALIASES
from snip.links.change_aliases import add_alias, retire_alias
from snip.links.create_link import NewLink, create_link, create_links
from snip.links.delete_link import delete_link
from snip.links.edit_link import Wanted, edit_link
from snip.links.errors import (
    AliasTaken,
    ExpiresInThePast,
    LinkChangedMeanwhile,
    LinkDeleted,
    LinkError,
    NotBlockable,
    NotBlocked,
    NotRetirable,
    TargetIsALink,
    TooManyAliases,
)
from snip.models import Link, LinkAction, LinkCode

OLD, NEW = "https://example.org/old", "https://example.org/new"


@pytest.fixture
def links_told(settings: object) -> Callable[[], list[tuple[int, int]]]:
    """The versions of links that were announced, in order; the jobs are nobody's, since no scanner runs."""
    settings.LEDGER_EVENTS = {**settings.LEDGER_EVENTS, "snip.LinkChanged": ("probe.leave_a_mark",)}  # type: ignore[attr-defined]

    def told() -> list[tuple[int, int]]:
        jobs = Job.objects.filter(task="probe.leave_a_mark").order_by("sequence")
        assert all(job.ordering_key == job.subject == f"link:{job.args['link_id']}" for job in jobs)
        return [(job.args["link_id"], job.args["version"]) for job in jobs]

    return told


@pytest.fixture
def new_link(db: None) -> Link:
    return create_link(new=NewLink(target=OLD, label="Poster", alias="spring"), owner_id=None, by="paula")


@pytest.fixture
def live_link(new_link: Link) -> Link:
    assert transitions.pass_scan(link_id=new_link.pk, version=1)
    new_link.refresh_from_db()
    return new_link


def wanted(link: Link, **changed: object) -> Wanted:
    names = ("target", "label", "owner_id", "show_id", "expires_at")
    return Wanted(**{name: getattr(link, name) for name in names} | changed)  # type: ignore[arg-type]


def edit(link: Link, *, seen: int | None = None, **changed: object) -> Link:
    edit_link(link_id=link.pk, seen=seen or link.version, wanted=wanted(link, **changed), by="paula")
    link.refresh_from_db()
    return link


def test_a_new_link_serves_nothing_until_its_target_has_passed(new_link: Link) -> None:
    new_link.refresh_from_db()
    assert (new_link.state, new_link.served_target, new_link.version) == ("scanning", "", 1)
    drawn = new_link.codes.get(is_alias=False)
    assert len(drawn.code) == 7
    assert new_link.codes.get(is_alias=True).code == "spring"
    assert transitions.pass_scan(link_id=new_link.pk, version=1)
    new_link.refresh_from_db()
    assert (new_link.state, new_link.served_target) == ("live", OLD)


def test_each_change_is_announced_with_its_version_and_written_down(
    links_told: Callable[[], list[tuple[int, int]]], live_link: Link
) -> None:
    edit(live_link, target=NEW)
    add_alias(link_id=live_link.pk, alias="Autumn", by="paula")
    retire_alias(link_id=live_link.pk, code="autumn", by="paula")
    block_link(link_id=live_link.pk, by="otto", reason="complaint")
    unblock_link(link_id=live_link.pk, by="otto", reason="it was none")
    delete_link(link_id=live_link.pk, by="paula", reason="over")
    assert links_told() == [(live_link.pk, version) for version in range(1, 8)]
    trail = list(LinkAction.objects.filter(link=live_link).order_by("pk").values_list("action", "by", "what"))
    assert [each[0] for each in trail] == ["create", "edit", "alias", "retire", "block", "unblock", "delete"]
    assert trail[1] == ("edit", "paula", f"target: {OLD} → {NEW}")
    assert trail[4] == ("block", "otto", "complaint")


def test_what_rolls_back_is_neither_made_nor_announced(
    links_told: Callable[[], list[tuple[int, int]]], new_link: Link
) -> None:
    with pytest.raises(AliasTaken):
        create_links(
            new=[NewLink(target=NEW, alias="autumn"), NewLink(target=NEW, alias="SPRING")], owner_id=None, by="paula"
        )
    assert Link.objects.count() == 1
    assert not LinkCode.objects.filter(code="autumn").exists()
    assert links_told() == [(new_link.pk, 1)]


def test_an_edited_target_is_served_only_once_it_has_passed_and_the_old_one_until_then(live_link: Link) -> None:
    edit(live_link, target=NEW)
    assert (live_link.state, live_link.served_target, live_link.version) == ("scanning", OLD, 2)
    assert not transitions.pass_scan(link_id=live_link.pk, version=1), "a late word about the first version"
    assert transitions.refuse(link_id=live_link.pk, version=2, why="It leads to a blocked host.")
    live_link.refresh_from_db()
    assert (live_link.state, live_link.served_target) == ("refused", OLD)
    edit(live_link)
    assert (live_link.state, live_link.refusal) == ("scanning", ""), "saved once more, it is checked once more"
    assert transitions.pass_scan(link_id=live_link.pk, version=3)
    live_link.refresh_from_db()
    assert (live_link.state, live_link.served_target) == ("live", NEW)


def test_a_change_of_anything_but_the_target_leaves_a_live_link_live(live_link: Link) -> None:
    edit(live_link, label="Leaflet", expires_at=database_now() + timedelta(days=1))
    assert (live_link.state, live_link.served_target, live_link.version) == ("live", OLD, 2)


def test_who_saw_an_older_version_changes_nothing(live_link: Link) -> None:
    edit(live_link, label="Leaflet")
    with pytest.raises(LinkChangedMeanwhile):
        edit(live_link, seen=1, target=NEW)
    live_link.refresh_from_db()
    assert live_link.target == OLD


def test_a_blocked_link_cannot_be_edited_out_of_its_block(live_link: Link) -> None:
    block_link(link_id=live_link.pk, by="otto", reason="complaint")
    live_link.refresh_from_db()
    with pytest.raises(LinkChangedMeanwhile):
        edit(live_link, target=NEW)
    with pytest.raises(NotBlockable):
        block_link(link_id=live_link.pk, by="otto", reason="complaint")
    assert not transitions.pass_scan(link_id=live_link.pk, version=live_link.version)
    unblock_link(link_id=live_link.pk, by="otto", reason="it was none")
    live_link.refresh_from_db()
    assert live_link.state == "live"
    with pytest.raises(NotBlocked):
        unblock_link(link_id=live_link.pk, by="otto", reason="it was none")


def test_a_block_of_a_link_that_was_not_checked_yet_is_no_way_around_the_check(new_link: Link) -> None:
    block_link(link_id=new_link.pk, by="otto", reason="complaint")
    unblock_link(link_id=new_link.pk, by="otto", reason="it was none")
    new_link.refresh_from_db()
    assert (new_link.state, new_link.served_target) == ("scanning", "")


def test_the_codes_of_a_deleted_link_are_retired_and_never_anybodys_again(live_link: Link) -> None:
    delete_link(link_id=live_link.pk, by="paula", reason="over")
    live_link.refresh_from_db()
    assert live_link.state == "deleted"
    assert live_link.codes.filter(retired_at__isnull=True).count() == 0
    with pytest.raises(AliasTaken):
        create_link(new=NewLink(target=NEW, alias="spring"), owner_id=None, by="paula")
    with pytest.raises(LinkDeleted):
        delete_link(link_id=live_link.pk, by="paula", reason="over")
    with pytest.raises(NotBlockable):
        block_link(link_id=live_link.pk, by="otto", reason="complaint")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM snip_linkcode",
        "UPDATE snip_linkcode SET code = 'other' WHERE code = 'spring'",
        "UPDATE snip_linkcode SET retired_at = NULL WHERE code = 'spring'",
        "UPDATE snip_linkcode SET link_id = link_id + 1 WHERE code = 'spring'",
        "DELETE FROM snip_linkaction",
    ],
)
def test_postgresql_itself_keeps_codes_and_the_trail(live_link: Link, statement: str) -> None:
    retire_alias(link_id=live_link.pk, code="spring", by="paula")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_an_alias_is_retired_alone_and_stays_gone(live_link: Link) -> None:
    retire_alias(link_id=live_link.pk, code="spring", by="paula")
    with pytest.raises(NotRetirable):
        retire_alias(link_id=live_link.pk, code="spring", by="paula")
    with pytest.raises(AliasTaken):
        add_alias(link_id=live_link.pk, alias="spring", by="paula")
    with pytest.raises(NotRetirable):
        retire_alias(link_id=live_link.pk, code=live_link.codes.get(is_alias=False).code, by="paula")


def test_a_link_takes_no_more_words_than_ten_so_that_nobody_hoards_them(live_link: Link) -> None:
    for n in range(MOST_ALIASES - 1):
        add_alias(link_id=live_link.pk, alias=f"word-{n}", by="paula")
    with pytest.raises(TooManyAliases):
        add_alias(link_id=live_link.pk, alias="one-more", by="paula")


def test_a_code_that_is_taken_is_drawn_again(new_link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = new_link.codes.get(is_alias=False).code
    draws = iter([taken, "bcdfghj", taken, "bcdfghj"])
    monkeypatch.setattr(making, "draw_code", lambda: next(draws))
    link = create_link(new=NewLink(target=NEW), owner_id=None, by="paula")
    assert link.codes.get().code == "bcdfghj"
    monkeypatch.setattr(making, "draw_code", lambda: taken)
    with pytest.raises(LinkError):
        create_link(new=NewLink(target=NEW), owner_id=None, by="paula")
    assert Link.objects.count() == 2


def test_nobody_makes_a_link_that_is_over_or_leads_to_a_short_link(settings: object, db: None) -> None:
    settings.SNIP_BASE_URL = "https://bo.example.org/l"  # type: ignore[attr-defined]
    with pytest.raises(ExpiresInThePast):
        create_link(new=NewLink(target=OLD, expires_at=database_now()), owner_id=None, by="paula")
    with pytest.raises(TargetIsALink):
        create_link(new=NewLink(target="HTTPS://BO.example.org:443/l/k7x2mqf"), owner_id=None, by="paula")
    with pytest.raises(ReasonMissing):
        create_link(new=NewLink(target=OLD), owner_id=None, by=" ")


def test_an_expiry_that_is_over_stays_as_it_is_and_no_other_past_one_is_taken(live_link: Link) -> None:
    past = database_now() - timedelta(hours=1)
    Link.objects.filter(pk=live_link.pk).update(expires_at=past)
    live_link.refresh_from_db()
    assert edit(live_link, label="Leaflet").label == "Leaflet"
    with pytest.raises(ExpiresInThePast):
        edit(live_link, expires_at=past + timedelta(minutes=1))


def test_a_word_that_two_want_at_once_is_one_of_theirs(transactional_db: None) -> None:
    barrier, outcomes = Barrier(2), []

    def want() -> None:
        try:
            barrier.wait(5)
            create_link(new=NewLink(target=OLD, alias="spring"), owner_id=None, by="paula")
            outcomes.append("made")
        except AliasTaken:
            outcomes.append("taken")
        finally:
            connection.close()

    threads = [Thread(target=want) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(outcomes) == ["made", "taken"]
    assert Link.objects.count() == 1


def test_a_thousand_links_cost_a_dozen_statements(
    links_told: Callable[[], list[tuple[int, int]]], django_assert_max_num_queries: Callable[[int], object], db: None
) -> None:
    many = [NewLink(target=f"{OLD}/{n}", alias=f"many-{n}") for n in range(1000)]
    with django_assert_max_num_queries(20):  # type: ignore[attr-defined]
        links = create_links(new=many, owner_id=None, by="paula")
    assert len(links_told()) == len({link.pk for link in links}) == 1000
    assert LinkCode.objects.get(code="many-999").link_id == links[999].pk
