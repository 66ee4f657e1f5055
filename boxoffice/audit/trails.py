"""The audit trails, each told in the same columns: when, who, what, about what, why.

Rows of all of them are only ever added; PostgreSQL refuses anything else (``jobs/append_only.py``). What people decided
at the door is told with them, from the door's own list, which leaves by its age. Who makes another trail adds a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.models import (
    AccessAction,
    AttentionAction,
    BooksAction,
    ExportAction,
    HoldAction,
    OrderAction,
    ShowAction,
)
from jobs.models import StaffAction
from notifications.models import MessageAction
from snip.links.edit_link import changes_in_words
from snip.models import LinkAction, SiteAction
from tickets.models import Scan


@dataclass(frozen=True)
class Trail:
    """One table.

    name: as addresses say it. rows: a SELECT of id, at, by, did, about, reason, fan, address. ``about`` is a subject
    such as ``order:ABCD2345``, or words; ``fan`` and ``address`` are those of whom the words may name, which are masked
    in them for users who may not see them. words: what ``did`` is called. is_kept: until somebody erases trails.
    """

    name: str
    label: str | Promise
    table: str
    words: Mapping[str, str | Promise]
    rows: str
    is_kept: bool = True


# Whose order it is that a job is about, or an item of what needs a human: his name, and his address. By primary keys
# and the unique code, for the rows that are shown alone: PostgreSQL works out what costs something behind the LIMIT.
FAN_OF_JOB = """
    coalesce((SELECT o.{column} FROM boxoffice_order o WHERE o.code = (
        SELECT substr(known.subject, 7)
          FROM (SELECT subject FROM jobs_job WHERE id = a.job_id
                UNION ALL SELECT subject FROM jobs_jobhistory WHERE id = a.job_id) AS known
         WHERE starts_with(known.subject, 'order:') LIMIT 1)), '')
"""
FAN_OF_ITEM = """
    coalesce((SELECT o.{column} FROM boxoffice_order o WHERE o.id = CASE WHEN a.key !~ '^[0-9]{{1,18}}$' THEN NULL
        WHEN a.kind = 'tickets' THEN a.key::bigint
        WHEN a.kind = 'payments' THEN (SELECT order_id FROM boxoffice_payment WHERE id = a.key::bigint)
        WHEN a.kind = 'refunds' THEN (
             SELECT p.order_id FROM boxoffice_refund r JOIN boxoffice_payment p ON p.id = r.payment_id
              WHERE r.id = a.key::bigint)
        WHEN a.kind = 'disputes' THEN (
             SELECT p.order_id FROM boxoffice_dispute d JOIN boxoffice_payment p ON p.id = d.payment_id
              WHERE d.id = a.key::bigint)
        WHEN a.kind = 'mails' THEN (
             SELECT told.id FROM notifications_notification n
               JOIN boxoffice_order told ON told.code = substr(n.subject, 7)
              WHERE n.id = a.key::bigint AND starts_with(n.subject, 'order:'))
        WHEN a.kind = 'asked' THEN (SELECT order_id FROM boxoffice_askedattention WHERE id = a.key::bigint)
        END), '')
"""

TRAILS = (
    Trail(
        name="orders",
        label=_("Orders"),
        table="boxoffice_orderaction",
        words=dict(OrderAction.Action.choices),
        rows="""
            SELECT a.id, a.at, a.by, a.action AS did, 'order:' || o.code AS about, a.reason,
                   o.name AS fan, o.email AS address
              FROM boxoffice_orderaction a JOIN boxoffice_order o ON o.id = a.order_id
        """,
    ),
    Trail(
        name="notes",
        label=_("Notes on orders"),
        table="boxoffice_ordernote",
        words={"note": _("note written")},
        rows="""
            SELECT a.id, a.at, a.by, 'note' AS did, 'order:' || o.code AS about, a.text AS reason,
                   o.name AS fan, o.email AS address
              FROM boxoffice_ordernote a JOIN boxoffice_order o ON o.id = a.order_id
        """,
    ),
    Trail(
        name="mails",
        label=_("Mails"),
        table="notifications_messageaction",
        words=dict(MessageAction.Action.choices),
        rows="""
            SELECT a.id, a.at, a.by, a.action AS did, a.subject AS about, a.reason,
                   coalesce(o.name, '') AS fan, a.recipient AS address
              FROM notifications_messageaction a
              LEFT JOIN boxoffice_order o ON starts_with(a.subject, 'order:') AND o.code = substr(a.subject, 7)
        """,
    ),
    Trail(
        name="holds",
        label=_("Holds"),
        table="boxoffice_holdaction",
        words=dict(HoldAction.Action.choices),
        rows="""
            SELECT a.id, a.at, a.by, a.action AS did, 'hold:' || a.hold_id AS about, a.reason,
                   coalesce(o.name, '') AS fan, coalesce(o.email, '') AS address
              FROM boxoffice_holdaction a LEFT JOIN boxoffice_order o ON o.hold_id = a.hold_id
        """,
    ),
    Trail(
        name="shows",
        label=_("Shows"),
        table="boxoffice_showaction",
        words=dict(ShowAction.Action.choices),
        rows="""
            SELECT id, at, by, action AS did, 'show:' || show_id AS about, reason, '' AS fan, '' AS address
              FROM boxoffice_showaction
        """,
    ),
    Trail(
        name="jobs",
        label=_("Jobs, queues, schedules"),
        table="jobs_staffaction",
        words=dict(StaffAction.Action.choices),
        rows=f"""
            SELECT a.id, a.at, a.by, a.action AS did, coalesce('job:' || a.job_id, a.target) AS about, a.reason,
                   {FAN_OF_JOB.format(column="name")} AS fan, {FAN_OF_JOB.format(column="email")} AS address
              FROM jobs_staffaction a
        """,  # noqa: S608 - constants
    ),
    Trail(
        name="attention",
        label=_("Needs attention"),
        table="boxoffice_attentionaction",
        words=dict(AttentionAction.Action.choices),
        rows=f"""
            SELECT a.id, a.at, a.by, a.action AS did, a.kind || ' ' || a.key AS about, a.reason,
                   {FAN_OF_ITEM.format(column="name")} AS fan, {FAN_OF_ITEM.format(column="email")} AS address
              FROM boxoffice_attentionaction a
        """,  # noqa: S608 - constants
    ),
    Trail(
        name="door",
        label=_("At the door"),
        table="tickets_scan",
        words=dict(Scan.Result.choices),
        is_kept=False,
        rows="""
            SELECT a.id, a.at, a.by, a.result AS did, 'order:' || t.order_code AS about, a.reason,
                   t.holder_name AS fan, coalesce(o.email, '') AS address
              FROM tickets_scan a
              JOIN tickets_ticket t ON t.id = a.ticket_id
              LEFT JOIN boxoffice_order o ON o.id = t.order_id
             WHERE a.result IN ('by hand', 'undone')
        """,
    ),
    Trail(
        name="books",
        label=_("Reconciliation"),
        table="boxoffice_booksaction",
        words=dict(BooksAction.Action.choices),
        rows="""
            SELECT a.id, a.at, a.by, a.action AS did, coalesce('finding:' || a.finding_id, 'day:' || a.day) AS about,
                   a.reason, coalesce(o.name, '') AS fan, coalesce(o.email, '') AS address
              FROM boxoffice_booksaction a
              LEFT JOIN boxoffice_finding f ON f.id = a.finding_id
              LEFT JOIN boxoffice_order o ON o.id = f.order_id
        """,
    ),
    Trail(
        name="exports",
        label=_("Exports"),
        table="boxoffice_exportaction",
        words=dict(ExportAction.Action.choices),
        rows="""
            SELECT id, at, by, action AS did, 'export:' || export_id AS about, what AS reason,
                   '' AS fan, '' AS address
              FROM boxoffice_exportaction
        """,
    ),
    Trail(
        name="links",
        label=_("Links"),
        table="snip_linkaction",
        words=dict(LinkAction.Action.choices),
        rows="""
            SELECT id, at, by, action AS did, 'link:' || link_id AS about, what AS reason, '' AS fan, '' AS address
              FROM snip_linkaction
        """,
    ),
    Trail(
        name="sites",
        label=_("Blocked sites"),
        table="snip_siteaction",
        words=dict(SiteAction.Action.choices),
        rows="""
            SELECT id, at, by, action AS did, host AS about, why AS reason, '' AS fan, '' AS address
              FROM snip_siteaction
        """,
    ),
    Trail(
        name="logins",
        label=_("Logins"),
        table="boxoffice_accessaction",
        words=dict(AccessAction.Action.choices),
        rows="""
            SELECT id, at, by, action AS did, login AS about, reason, '' AS fan, '' AS address
              FROM boxoffice_accessaction
        """,
    ),
    Trail(
        name="forms",
        label=pgettext_lazy("audit trail", "Forms of the admin"),
        table="django_admin_log",
        words={"added": _("added"), "changed": _("changed"), "deleted": _("deleted")},
        rows="""
            SELECT a.id, a.action_time AS at, u.username AS by,
                   CASE a.action_flag WHEN 1 THEN 'added' WHEN 2 THEN 'changed' ELSE 'deleted' END AS did,
                   coalesce(t.model || ':', '') || coalesce(a.object_id, '') AS about, a.object_repr AS reason,
                   coalesce(o.name, '') AS fan, coalesce(o.email, '') AS address
              FROM django_admin_log a
              JOIN auth_user u ON u.id = a.user_id
              LEFT JOIN django_content_type t ON t.id = a.content_type_id
              LEFT JOIN boxoffice_order o
                ON t.app_label = 'boxoffice' AND t.model = 'order'
               AND o.id = CASE WHEN a.object_id ~ '^[0-9]{1,18}$' THEN a.object_id::bigint END
        """,
    ),
)


def did_in_words(*, trail: str, did: str) -> str:
    """What an action of this trail is called, in the reader's language. Pure."""
    words = next(each.words for each in TRAILS if each.name == trail)
    return str(words.get(did, did))


def reason_in_words(*, trail: str, did: str, reason: str) -> str:
    """What an entry tells beside its action, in the reader's language where it was not somebody who typed it. Pure."""
    return changes_in_words(reason) if (trail, did) == ("links", LinkAction.Action.EDIT) else reason
