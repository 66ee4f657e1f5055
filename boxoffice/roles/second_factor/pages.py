"""The pages of the second factor: asking for it, setting it up, and recovery codes. They work without scripts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any

import django_otp
from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from django_otp.models import Device

from boxoffice.models import AccessAction
from boxoffice.roles.halfway import halfway_user, works_at_the_desk
from boxoffice.roles.next_page import next_page, wanted_page
from boxoffice.roles.second_factor.prove import prove
from boxoffice.roles.second_factor.recovery_codes import codes_left, draw_recovery_codes
from boxoffice.roles.second_factor.set_up import device_to_set_up, has_second_factor, qr_picture, readable_key, set_up
from boxoffice.roles.time_out import is_fresh

FRESH = timedelta(minutes=15)
"""So long after the password a telephone can be set up. A session that was left open cannot make itself at home after
the second factor of its login was reset."""

Page = Callable[[HttpRequest], HttpResponse]


class CodeForm(forms.Form):
    """What the telephone shows, or a recovery code."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false", "autofocus": True}
        ),
    )


def _page(view: Page) -> Page:
    """Kept by no cache and no history: keys and codes stand on it."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        response = require_http_methods(["GET", "HEAD", "POST"])(view)(request)
        add_never_cache_headers(response)
        return response

    return answer


@_page
def ask_page(request: HttpRequest) -> HttpResponse:
    """Ask for the code (GET), or let in whoever gives it (POST); ``leave`` starts over as somebody else."""
    user = halfway_user(request)
    if user is None:
        return HttpResponseRedirect(wanted_page(request))
    if request.method == "POST" and "leave" in request.POST:
        request.session.flush()
        return HttpResponseRedirect(reverse("admin:login"))
    if not has_second_factor(user=user):
        return HttpResponseRedirect(next_page(request, "admin:second_factor_set_up"))
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        proof = prove(user=user, typed=form.cleaned_data["code"])
        if proof.device is not None:
            return _let_in(request, user, proof.device)
        form.add_error("code", proof.refusal)
    return _show(request, "ask.html", title=_("Your second factor"), form=form, user_name=user.get_username())


@_page
def set_up_page(request: HttpRequest) -> HttpResponse:
    """Show the key (GET); take it into use with its first code and show the recovery codes, once (POST)."""
    user: Any = halfway_user(request) or request.user
    if not user.is_authenticated or not works_at_the_desk(user):
        return HttpResponseRedirect(reverse("admin:login"))
    if has_second_factor(user=user):
        return HttpResponseRedirect(next_page(request, "admin:second_factor"))
    if not is_fresh(request, within=FRESH):
        request.session.flush()
        messages.warning(request, _("Log in once more: a second factor is set up soon after the password only."))
        return HttpResponseRedirect(next_page(request, "admin:login"))
    session_key = request.session.session_key or ""  # there is one: somebody has logged in
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        done = set_up(user=user, code="".join(form.cleaned_data["code"].split()), session_key=session_key)
        if done is not None:
            device, codes = done
            _let_in(request, user, device)
            return _show_codes(request, codes, title=_("Your second factor is set up"))
        form.add_error("code", _("This code does not fit. Wait for the next one, and check the telephone's clock."))
    device = device_to_set_up(user=user, session_key=session_key)
    key = {"qr": qr_picture(device), "key": readable_key(device), "address": device.config_url}
    return _show(request, "set_up.html", title=_("Set up your second factor"), form=form, **key)


@_page
def codes_page(request: HttpRequest) -> HttpResponse:
    """How many recovery codes are left (GET); draw new ones and show them, once (POST)."""
    user: Any = request.user
    if not user.is_authenticated or not works_at_the_desk(user):
        return HttpResponseRedirect(next_page(request, "admin:login"))
    if not user.is_verified():
        return HttpResponseRedirect(next_page(request, "admin:second_factor_set_up"))
    if request.method == "POST":
        name = user.get_username()
        AccessAction.objects.create(action=AccessAction.Action.CODES, login=name, by=name)
        return _show_codes(request, draw_recovery_codes(user=user), title=_("Your new recovery codes"))
    return _show(request, "codes.html", title=_("Recovery codes"), left=codes_left(user=user))


def _let_in(request: HttpRequest, user: Any, device: Device) -> HttpResponse:
    """From now on the session is his: under a new key, so that one from before the proof is worth nothing."""
    request.user = user
    request.session.cycle_key()
    django_otp.login(request, device)
    return HttpResponseRedirect(wanted_page(request))


def _show_codes(request: HttpRequest, codes: list[str], *, title: str) -> HttpResponse:
    return _show(request, "new_codes.html", title=title, codes=codes)


def _show(request: HttpRequest, template: str, **context: Any) -> HttpResponse:
    context = {**admin.site.each_context(request), "next": wanted_page(request), **context}
    return TemplateResponse(request, f"admin/second_factor/{template}", context)
