"""The pages that do something about a finding: each asks once where money moves, and tells what it did."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from boxoffice.errors import BoxOfficeError
from boxoffice.models import Finding, Order
from boxoffice.payments.minor_units import our_money
from boxoffice.reconciliation.actions.attach_finding import attach_finding, order_to_attach, would_buy
from boxoffice.reconciliation.actions.confirm_finding import confirm_finding
from boxoffice.reconciliation.actions.errors import FindingChanged
from boxoffice.reconciliation.actions.offered import offered
from boxoffice.reconciliation.actions.own_finding import give_finding_back, take_finding
from boxoffice.reconciliation.actions.refund_finding import refund_finding
from boxoffice.reconciliation.actions.write_off_finding import write_off_finding
from boxoffice.reconciliation.amounts import in_words
from boxoffice.reconciliation.pages.desk import RECONCILE, render, require
from boxoffice.reconciliation.pages.finding_words import effect_of, verb_in_words
from inventory.models import Show
from jobs.admin.reason_form import ReasonForm

Action = Finding.Action

MONEY = "boxoffice.refund_order"
"""What moves money or sells seats needs this as well, as on the order's page."""

ALSO_NEEDS_MONEY = (Action.CONFIRM, Action.REFUND, Action.ATTACH)

PAGE = "admin:boxoffice_finding_change"


class AttachForm(ReasonForm):
    """To which order, and why."""

    code = forms.CharField(
        label=gettext_lazy("Order code"),
        max_length=40,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off"}),
    )
    field_order = ("code", "reason")


def may_do(request: HttpRequest, action: Finding.Action) -> bool:
    """Whether this user may do this about findings."""
    can = request.user.has_perm
    return can(RECONCILE) and (action not in ALSO_NEEDS_MONEY or can(MONEY))


def verb_page(page: admin.ModelAdmin, request: HttpRequest, finding_id: int, verb: str) -> HttpResponse:
    """Ask (GET), or do it and say so (POST). Raises Http404 and PermissionDenied."""
    action = next((each for each in Action if each.value.replace(" ", "-") == verb), None)
    if action is None:
        raise Http404
    if not may_do(request, action) or not request.user.has_perm("boxoffice.view_finding"):
        raise PermissionDenied
    finding = Finding.objects.select_related("transaction", "order__show").filter(pk=finding_id).first()
    if finding is None:
        raise Http404
    form = _form(request, finding, action)
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            _require_as_shown(request, finding)
            words = _do(finding, action, by=request.user.get_username(), given=form.cleaned_data if form else {})
        except BoxOfficeError as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, words)
        return HttpResponseRedirect(reverse(PAGE, args=[finding.pk]))
    if action not in offered(finding):
        messages.warning(request, _("This cannot be done about this finding any more."))
        return HttpResponseRedirect(reverse(PAGE, args=[finding.pk]))
    try:
        return _ask(page, request, finding, action, form)
    except BoxOfficeError as refusal:
        # No order has the code that was typed: nothing would happen, so there is nothing to ask.
        messages.error(request, str(refusal))
        return HttpResponseRedirect(reverse(PAGE, args=[finding.pk]))


def own_page(page: admin.ModelAdmin, request: HttpRequest, finding_id: int, verb: str) -> HttpResponse:
    """Take it or give it back (POST), and lead back to it."""
    require(request, RECONCILE)
    require(request, "boxoffice.view_finding")
    if not Finding.objects.filter(pk=finding_id).exists():
        raise Http404
    if request.method == "POST":
        by = request.user.get_username()
        try:
            if verb == "take":
                take_finding(finding_id=finding_id, by=by, from_owner=request.POST.get("from_owner", ""))
                messages.success(request, _("You have taken it."))
            else:
                give_finding_back(finding_id=finding_id, by=by)
                messages.success(request, _("You have given it back."))
        except BoxOfficeError as refusal:
            messages.warning(request, str(refusal))
    return HttpResponseRedirect(reverse(PAGE, args=[finding_id]))


def _form(request: HttpRequest, finding: Finding, action: Finding.Action) -> ReasonForm | None:
    """What is asked; None where nothing is."""
    if action == Action.CONFIRM:
        return None
    needs_code = action == Action.ATTACH and finding.kind == Finding.Kind.ONLY_THERE
    kind = AttachForm if needs_code else ReasonForm
    return kind(request.POST if request.method == "POST" else None, initial={"code": request.GET.get("code", "")[:40]})


def _ask(
    page: admin.ModelAdmin, request: HttpRequest, finding: Finding, action: Finding.Action, form: ReasonForm | None
) -> HttpResponse:
    amount = in_words(abs(finding.amount), finding.currency)
    effects = [effect_of(finding, action)]
    if isinstance(form, AttachForm) and (code := (request.POST or request.GET).get("code", "").strip()):
        effects = [_what_attaching_does(finding, code)]
    return render(
        page,
        request,
        "finding/ask.html",
        title=f"{verb_in_words(action)}: {amount}?",
        button=f"{verb_in_words(action)}: {amount}",
        finding=finding,
        shown=_shown(finding),
        effects=effects,
        form=form,
        final=action != Action.CONFIRM,
        back_url=reverse(PAGE, args=[finding.pk]),
    )


def _shown(finding: Finding) -> str:
    return f"{finding.amount} {finding.currency} {finding.payment_id or 0}"


def _require_as_shown(request: HttpRequest, finding: Finding) -> None:
    """The sum that somebody has read on the page that asked is the sum that moves. Raises FindingChanged."""
    if finding.is_open and request.POST.get("shown", _shown(finding)) != _shown(finding):
        raise FindingChanged


def _what_attaching_does(finding: Finding, code: str) -> str:
    """In words. Raises NoSuchOrder."""
    order = order_to_attach(code=code)
    words = {"code": order.code, "show": order.show.title}
    if not order.show.takes_place:
        return _none_is_sold(order) % words
    money = our_money(finding.amount, finding.currency)
    if money is not None and would_buy(order=order, money=money):
        return (
            _("Order %(code)s, %(show)s, waits for just this sum: its seats are sold if they are still free.") % words
        )
    return _("Order %(code)s, %(show)s, does not wait for this sum: the money goes back, and a mail says so.") % words


def _none_is_sold(order: Order) -> str:
    if order.show.status == Show.Status.CANCELLED:
        return _("Order %(code)s: %(show)s is cancelled. The money goes back, and a mail says so.")
    return _("Order %(code)s: no seat of %(show)s is sold any more. The money goes back, and a mail says so.")


def _do(finding: Finding, action: Finding.Action, *, by: str, given: dict[str, Any]) -> str:
    """Do it, and say what was done. Raises what the services raise."""
    if action == Action.CONFIRM:
        confirm_finding(finding_id=finding.pk, by=by)
        return _("The provider has confirmed it, and it counts here now.")
    if action == Action.REFUND:
        money = refund_finding(finding_id=finding.pk, by=by, reason=given["reason"])
        return _("%(amount)s is on its way back.") % {"amount": money}
    if action == Action.ATTACH:
        done = attach_finding(finding_id=finding.pk, code=given.get("code", ""), by=by, reason=given["reason"])
        return _ATTACHED[done.outcome]() % {"code": done.order.code, "amount": done.money}
    write_off_finding(finding_id=finding.pk, by=by, reason=given["reason"])
    return _("It is written off.")


_ATTACHED = {
    "bought": lambda: _("%(amount)s has paid order %(code)s, and its seats are sold."),
    "goes back": lambda: _("%(amount)s is written down with order %(code)s, and goes back."),
    "written": lambda: _("%(amount)s is written down as a refund of order %(code)s."),
}
