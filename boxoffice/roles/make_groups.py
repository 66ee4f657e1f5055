"""Groups from the table of roles, after every ``migrate``."""

from __future__ import annotations

from typing import Any

from django.apps import apps as installed_apps
from django.apps.registry import Apps
from django.contrib.auth.models import Group, Permission
from django.db import DEFAULT_DB_ALIAS, router, transaction

from boxoffice.roles.table import GRANTS, ROLES


def make_groups(*, using: str = DEFAULT_DB_ALIAS) -> None:
    """Let each role's group exist and hold the table's permissions, no more and no fewer. Other groups are left.

    Safe to repeat, and at the same time: what is there already is left. A permission that no migration has made yet is
    left out until one does. Opens a transaction.
    """
    with transaction.atomic(using=using):
        Group.objects.using(using).bulk_create([Group(name=role) for role in ROLES], ignore_conflicts=True)
        groups = dict(Group.objects.using(using).filter(name__in=ROLES).values_list("name", "pk"))
        wanted = _wanted(groups, using=using)
        through = Group.permissions.through
        found = through.objects.using(using).filter(group__in=groups.values())
        there = {(row.group_id, row.permission_id): row.pk for row in found}
        through.objects.using(using).filter(pk__in=[pk for pair, pk in there.items() if pair not in wanted]).delete()
        through.objects.using(using).bulk_create(
            [through(group_id=group, permission_id=permission) for group, permission in wanted - there.keys()],
            ignore_conflicts=True,
        )


def _wanted(groups: dict[str, int], *, using: str) -> set[tuple[int, int]]:
    """The pairs of group and permission that the table asks for."""
    known = {
        f"{app}.{codename}": pk
        for app, codename, pk in Permission.objects.using(using).values_list(
            "content_type__app_label", "codename", "pk"
        )
    }
    return {
        (groups[role], known[grant.permission]) for grant in GRANTS if grant.permission in known for role in grant.roles
    }


def make_groups_after_migrate(*, sender: Any, using: str, apps: Apps = installed_apps, **_told: Any) -> None:
    """A receiver of ``post_migrate``: once for each run, after the last app, when every permission has been made.

    apps: as they are migrated there. A database that has a ledger and no logins has no groups.
    """
    last = [config for config in installed_apps.get_app_configs() if config.models_module is not None][-1]
    has_groups = ("auth", "group") in {(model._meta.app_label, model._meta.model_name) for model in apps.get_models()}
    if sender is last and has_groups and router.allow_migrate_model(using, Group):
        make_groups(using=using)
