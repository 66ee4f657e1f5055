"""Every page of the desk, and which permission opens it: what tests hold the roles and the pages against.

Django's own pages of a model (its list, its rows, their history, forms to add, change and delete) need its own
permissions. Every other page has a line here; without one the walk through the desk fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.urls import URLPattern, URLResolver

# The page's name, and after a blank the argument that it is asked for with, where permissions differ by that.
OWN_PAGES = {
    "auth_user_lift-lockout": "boxoffice.lift_lockout",
    "auth_user_password_change": "auth.change_user",
    "auth_user_reset-second-factor": "boxoffice.reset_second_factor",
    "boxoffice_attention_give_back": "boxoffice.take_attention",
    "boxoffice_attention_settle": "boxoffice.take_attention",
    "boxoffice_attention_take": "boxoffice.take_attention",
    "boxoffice_export_download": "boxoffice.view_export",
    "boxoffice_finding_do confirm": "boxoffice.reconcile",
    "boxoffice_finding_do refund": "boxoffice.reconcile",
    "boxoffice_finding_do attach": "boxoffice.reconcile",
    "boxoffice_finding_do write-off": "boxoffice.reconcile",
    "boxoffice_finding_give_back": "boxoffice.reconcile",
    "boxoffice_finding_take": "boxoffice.reconcile",
    "boxoffice_order_address": "notifications.add_messageaction",
    "boxoffice_order_cancel": "boxoffice.cancel_order",
    "boxoffice_order_job discard": "jobs.discard_job",
    "boxoffice_order_job replay": "jobs.replay_job",
    "boxoffice_order_job run-now": "jobs.run_job",
    "boxoffice_order_move": "boxoffice.move_order",
    "boxoffice_order_name": "boxoffice.correct_name",
    "boxoffice_order_note": "boxoffice.add_ordernote",
    "boxoffice_order_paid_out": "boxoffice.pay_out",
    "boxoffice_order_print": "boxoffice.print_tickets",
    "boxoffice_order_refund": "boxoffice.refund_order",
    "boxoffice_order_refund_again": "boxoffice.refund_order",
    "boxoffice_order_release": "boxoffice.cancel_order",
    "boxoffice_order_render": "boxoffice.render_tickets",
    "boxoffice_order_resend": "notifications.add_messageaction",
    "boxoffice_order_sell": "boxoffice.sell_order",
    "boxoffice_order_sell_hold": "boxoffice.sell_order",
    "boxoffice_order_sell_seats": "boxoffice.sell_order",
    "boxoffice_reconciliation_day": "boxoffice.view_reconciliation",
    "boxoffice_reconciliation_report": "boxoffice.reconcile",
    "boxoffice_reconciliation_run": "boxoffice.reconcile",
    "boxoffice_sample_mail_html": "notifications.view_notification",
    "boxoffice_sample_mails": "notifications.view_notification",
    "inventory_hold_extend": "boxoffice.extend_hold",
    "inventory_hold_release": "boxoffice.release_hold",
    "inventory_show_aside": "boxoffice.block_seats",
    "inventory_show_cancel": "boxoffice.cancel_show",
    "inventory_show_cancellation": "boxoffice.view_cancellation",
    "inventory_show_cancellation_again": "boxoffice.refund_order",
    "inventory_show_cancellation_csv": "boxoffice.view_cancellation",
    "inventory_show_cancellation_pause": "boxoffice.cancel_show",
    "inventory_show_cancellation_pdf": "boxoffice.view_cancellation",
    "inventory_show_cancellation_resume": "boxoffice.cancel_show",
    "inventory_show_cancellation_undo": "boxoffice.write_off",
    "inventory_show_cancellation_write_off": "boxoffice.write_off",
    "inventory_show_door_list": "boxoffice.view_house",
    "inventory_show_house": "boxoffice.view_house",
    "inventory_show_money_back": "boxoffice.move_show",
    "inventory_show_move": "boxoffice.move_show",
    "inventory_show_postpone": "boxoffice.move_show",
    "inventory_show_sale": "inventory.change_show",
    "jobs_deadjob_about": "jobs.view_deadjob",
    "jobs_deadjob_discard": "jobs.discard_job",
    "jobs_deadjob_discard_all": "jobs.discard_job",
    "jobs_deadjob_groups": "jobs.view_deadjob",
    "jobs_deadjob_replay": "jobs.replay_job",
    "jobs_deadjob_replay_all": "jobs.replay_job",
    "jobs_deadjob_run": "jobs.view_deadjob",
    "jobs_deadjob_stop_run": "jobs.replay_job",
    "jobs_deadletter_discard": "jobs.discard_deadletter",
    "jobs_job_verb cancel": "jobs.cancel_job",
    "jobs_job_verb priority": "jobs.prioritise_job",
    "jobs_job_verb run-now": "jobs.run_job",
    "jobs_queueload_pause": "jobs.pause_queue",
    "jobs_queueload_resume": "jobs.pause_queue",
    "jobs_schedule_verb disable": "django_celery_beat.change_periodictask",
    "jobs_schedule_verb enable": "django_celery_beat.change_periodictask",
    "jobs_schedule_verb run-now": "jobs.run_schedule",
    "notifications_suppression_lift": "notifications.lift_suppression",
    "snip_link_block": "snip.block_link",
    "snip_link_edit": "snip.change_link",
    "snip_link_export": "snip.view_link",
    "snip_link_import": "snip.add_link",
    "snip_link_qr_png": "snip.view_link",
    "snip_link_qr_svg": "snip.view_link",
    "snip_link_unblock": "snip.block_link",
    "snip_link_words": "snip.change_link",
}

# Who works here may see them: they show what the user may see, his own login, or nothing.
FOR_EVERYBODY = {
    "index",
    "login",
    "logout",
    "password_change",
    "password_change_done",
    "jsi18n",
    "autocomplete",  # asks the list that it looks into
    "view_on_site",
    "app_list",
    "second_factor",
    "second_factor_set_up",
    "recovery_codes",
}


@dataclass(frozen=True)
class DeskPage:
    """A page's name, what its address is made of, and the permissions one of which opens it; none for everybody."""

    name: str
    arguments: tuple[str, ...]
    opened_by: tuple[str, ...]

    @property
    def is_own(self) -> bool:
        """Whether it is a page of ours, whose view asks for the permission itself."""
        return self.name in OWN_PAGES

    @property
    def key(self) -> str:
        return self.name.partition(" ")[0]


def desk_pages() -> Iterator[DeskPage]:
    """All of them. Raises KeyError for one that has no line in OWN_PAGES."""
    by_model = _by_model()
    for name, arguments in _named(admin.site.get_urls()):
        if name in FOR_EVERYBODY:
            continue
        if name in by_model:
            yield DeskPage(name, arguments, by_model[name])
            continue
        own = {key: permission for key, permission in OWN_PAGES.items() if key.partition(" ")[0] == name}
        if not own:
            raise KeyError(f"tests/desk_pages.py has no line for the page {name}: say which permission opens it.")
        for key, permission in own.items():
            yield DeskPage(key, arguments, (permission,))


def _named(patterns: list[URLPattern | URLResolver]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _named(pattern.url_patterns)
        elif pattern.name:
            yield pattern.name, tuple(pattern.pattern.converters)


def _by_model() -> dict[str, tuple[str, ...]]:
    pages: dict[str, tuple[str, ...]] = {}
    needs = {
        "changelist": ("view", "change"),
        "change": ("view", "change"),
        "history": ("view", "change"),
        "add": ("add",),
        "delete": ("delete",),
    }
    for model in admin.site._registry:
        opts = model._meta
        for page, actions in needs.items():
            codenames = (get_permission_codename(action, opts) for action in actions)
            pages[f"{opts.app_label}_{opts.model_name}_{page}"] = tuple(f"{opts.app_label}.{c}" for c in codenames)
    return pages
