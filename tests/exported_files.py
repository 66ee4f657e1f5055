"""Files of exports, asked for, written and read."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from boxoffice.exports.start_export import start_export
from boxoffice.exports.write_export import write_export
from boxoffice.models import Export
from boxoffice.roles.make_groups import make_groups
from inventory.models import Show
from jobs.clock import database_now
from tickets.storage import ticket_storage

PAGE = "/admin/boxoffice/export/"


def of_role(role: str, name: str = "anna") -> Any:
    make_groups()
    user = get_user_model().objects.create_user(name, email=f"{name}@house.example", is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


def asked(user: Any, kind: str, show: Show | None = None, *, language: str = "en", days: int = 30) -> Export:
    today = database_now().date()
    number = start_export(
        number=uuid4(),
        user=user,
        kind=kind,
        language=language,
        show=show,
        first=today - timedelta(days=days),
        last=today + timedelta(days=days),
    )
    return Export.objects.get(pk=number)


def written(user: Any, kind: str, show: Show | None = None, **more: Any) -> Export:
    export = asked(user, kind, show, **more)
    write_export(export_id=export.pk)
    export.refresh_from_db()
    return export


def rows_in(export: Export, delimiter: str = ",") -> list[dict[str, str]]:
    with ticket_storage().open(export.storage_name) as file:
        content = file.read()
    assert content.startswith(b"\xef\xbb\xbf")
    assert export.size == len(content)
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter))


def undone(cell: str) -> str:
    return cell[1:] if cell.startswith(("'=", "'+", "'-", "'@")) else cell
