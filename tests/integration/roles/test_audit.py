"""Audit trails: nobody changes them, one page tells all of them, one command erases what is old."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from urllib.parse import parse_qs, urlsplit

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from boxoffice.audit.erase_trails import LEAST_DAYS, erase_trails
from boxoffice.audit.errors import TooRecentToErase
from boxoffice.audit.read_trails import Asked, read_trails
from boxoffice.audit.trails import TRAILS
from boxoffice.models import AccessAction, OrderAction, OrderNote
from jobs.append_only import erasing
from jobs.errors import NotInTransaction, ReasonMissing
from jobs.models import StaffAction
from tests.fixtures_clock import Clock
from tests.fixtures_desk import Desk, login_as

pytestmark = pytest.mark.django_db

PAGE = "admin:boxoffice_audittrail_changelist"


def run(statement: str) -> int:
    connection.check_constraints()  # no table is truncated while something is to be looked at when all is done
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.rowcount


KEPT = {trail.table for trail in TRAILS if trail.is_kept}


@pytest.mark.parametrize("table", sorted(KEPT))
def test_the_database_refuses_to_change_or_delete_an_entry_whoever_asks(full_desk: Desk, table: str) -> None:
    for statement in (f"UPDATE {table} SET id = id", f"DELETE FROM {table}", f"TRUNCATE {table}"):
        with pytest.raises(IntegrityError, match=f"Rows of {table} are only ever added"):
            run(statement)


def test_every_table_that_says_it_is_only_added_to_is_a_trail_of_the_page() -> None:
    with connection.cursor() as cursor:
        for trigger in ("append_only", "never_emptied"):
            cursor.execute("SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = %s", [trigger])
            # What becomes of a dispute is the bank's doing, and no person's.
            assert {table for (table,) in cursor.fetchall()} == KEPT | {"boxoffice_disputestep"}


def test_no_trail_is_emptied_along_with_what_it_refers_to(full_desk: Desk) -> None:
    for statement in ("TRUNCATE boxoffice_order CASCADE", "TRUNCATE auth_user CASCADE"):
        with pytest.raises(IntegrityError, match="only ever added"):
            run(statement)


def test_what_people_decided_at_the_door_is_told_and_erased_with_the_doors_own_list(full_desk: Desk) -> None:
    (entry,) = read_trails(asked=Asked(trail="door"))
    assert (entry.by, entry.did, entry.about) == ("grace", "by hand", full_desk.order.subject)
    assert "door" not in erase_trails(older_than_days=LEAST_DAYS, by="", reason="", dry_run=True)


def test_every_table_that_keeps_who_and_why_is_a_trail() -> None:
    # What the others are: a state that ends, work under way, and clicks by something.
    no_trails = {"jobs_pause", "jobs_deadrun", "boxoffice_export", "boxoffice_cancellation", "snip_clickday"}
    keeping = {
        model._meta.db_table
        for model in apps.get_models()
        if not model._meta.proxy and any(field.name == "by" for field in model._meta.get_fields())
    }
    assert keeping - {trail.table for trail in TRAILS} == no_trails & keeping


def test_a_superuser_has_no_form_for_an_entry(staff: Client, full_desk: Desk) -> None:
    for model in ("audittrail", "orderaction", "accessaction", "ordernote"):
        for rest in ("add/", "1/delete/"):
            assert staff.post(f"/admin/boxoffice/{model}/{rest}", {"post": "yes"}).status_code in (302, 403, 404)
    assert staff.post(reverse(PAGE), {"action": "delete_selected"}).status_code == 200
    assert AccessAction.objects.exists()
    assert OrderAction.objects.exists()


def test_a_login_that_has_done_something_is_not_deleted(staff: Client, full_desk: Desk) -> None:
    user = LogEntry.objects.get().user
    assert staff.post(reverse("admin:auth_user_delete", args=[user.pk]), {"post": "yes"}).status_code == 403
    with pytest.raises(IntegrityError), transaction.atomic():
        user.delete()


def test_one_page_tells_what_everybody_did_the_newest_first(staff: Client, full_desk: Desk) -> None:
    entries = read_trails(asked=Asked())
    assert {entry.trail for entry in entries} == {trail.name for trail in TRAILS}
    assert [entry.at for entry in entries] == sorted((entry.at for entry in entries), reverse=True)

    page = staff.get(reverse(PAGE)).content.decode()
    for words in ("anna", "address corrected", "extended", "lockout lifted", "paused", "note written", "changed"):
        assert words in page
    assert reverse("admin:boxoffice_order_change", args=[full_desk.order.pk]) in page


def test_the_page_is_narrowed_to_a_person_a_day_a_kind_and_a_thing(full_desk: Desk, clock: Clock) -> None:
    StaffAction.objects.create(target="queue bulk", action="pause", by="Berta", reason="too many")
    clock.advance(timedelta(days=3))
    later = StaffAction.objects.create(target="queue bulk", action="resume", by="Berta", reason="they are gone")

    assert {entry.by for entry in read_trails(asked=Asked(by="berta"))} == {"Berta"}
    assert [entry.id for entry in read_trails(asked=Asked(by="Berta", day=later.at.date()))] == [later.pk]
    assert {entry.trail for entry in read_trails(asked=Asked(trail="jobs"))} == {"jobs"}
    subject = full_desk.order.subject
    assert {entry.trail for entry in read_trails(asked=Asked(about=subject))} == {"orders", "notes", "mails", "door"}


def test_page_after_page_tells_each_entry_once_though_many_share_an_instant(db: None, clock: Clock) -> None:
    clock.stand_still(at=AccessAction.objects.create(action="lift", login="a", by="b", reason="c").at)
    for number in range(6):
        StaffAction.objects.create(target=f"queue {number}", action="pause", by="b", reason="c")
        AccessAction.objects.create(action="lift", login=str(number), by="b", reason="c")
    seen, place = [], ""
    for _page in range(20):
        entries = read_trails(asked=Asked(older_than=place), limit=2)
        if not entries:
            break
        seen += [(entry.trail, entry.id) for entry in entries]
        place = entries[-1].place
    assert len(seen) == len(set(seen)) == 13


def test_what_strangers_write_into_the_address_breaks_nothing(staff: Client, full_desk: Desk) -> None:
    for query in (
        "older_than=x~y~z",
        "older_than=2026-01-01~a~1",
        "day=never",
        "trail=none",
        "about=" + "x" * 999,
    ):
        assert staff.get(f"{reverse(PAGE)}?{query}").status_code == 200


def test_the_link_to_older_entries_keeps_what_was_asked_for(staff: Client) -> None:
    for number in range(101):
        StaffAction.objects.create(target=f"queue {number}", action="pause", by="Berta", reason="c")
    page = staff.get(f"{reverse(PAGE)}?by=berta")
    query = parse_qs(urlsplit(page.context["older"]).query)
    assert query["by"] == ["berta"]
    assert len(staff.get(reverse(PAGE) + page.context["older"]).context["rows"]) == 1


def test_old_entries_are_erased_by_the_command_which_says_who_did_it(full_desk: Desk, clock: Clock) -> None:
    clock.advance(timedelta(days=LEAST_DAYS + 1))
    kept = StaffAction.objects.create(target="queue bulk", action="pause", by="Berta", reason="too many")
    out = StringIO()
    call_command("erase_trails", "--older-than-days", str(LEAST_DAYS), "--dry-run", stdout=out)
    assert "Would erase: orders 2, notes 1, mails 1" in out.getvalue()
    assert OrderAction.objects.count() == 2

    call_command(
        "erase_trails", "--older-than-days", str(LEAST_DAYS), "--by", "cleo", "--reason", "the law", stdout=out
    )

    assert [entry.pk for entry in StaffAction.objects.all()] == [kept.pk]
    assert not OrderAction.objects.exists()
    assert not OrderNote.objects.exists()
    assert not LogEntry.objects.exists()
    erased = AccessAction.objects.get()
    assert (erased.action, erased.by) == ("erase", "cleo")
    assert erased.reason.startswith("the law (")


def test_what_is_recent_is_not_erased_and_not_without_a_reason(full_desk: Desk) -> None:
    with pytest.raises(TooRecentToErase):
        erase_trails(older_than_days=LEAST_DAYS - 1, by="cleo", reason="the law")
    with pytest.raises(ReasonMissing):
        erase_trails(older_than_days=LEAST_DAYS, by="cleo", reason=" ")
    with pytest.raises(CommandError, match="400 days"):
        call_command("erase_trails", "--older-than-days", "1", "--by", "cleo", "--reason", "the law")
    assert OrderAction.objects.count() == 2


def test_leave_to_erase_ends_with_its_block(full_desk: Desk) -> None:
    with transaction.atomic():
        with erasing():
            pass
        with pytest.raises(IntegrityError):
            run("DELETE FROM jobs_staffaction")


@pytest.mark.django_db(transaction=True)
def test_nothing_is_erased_outside_a_transaction() -> None:
    with pytest.raises(NotInTransaction), erasing():
        pass


def test_who_may_not_see_fans_sees_what_was_done_and_not_to_whom(client: Client, full_desk: Desk) -> None:
    page = login_as(client, role="Operator").get(reverse(PAGE)).content.decode()
    assert "Z… Q… rang: no mail at z…@example.org" in page
