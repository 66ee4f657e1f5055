"""Logins in the admin: who is who, and what an operator may do for somebody who cannot get in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static import admin as otp_static
from django_otp.plugins.otp_totp import admin as otp_totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from boxoffice.errors import BoxOfficeError
from boxoffice.roles.lockout.lift import lift_lockout
from boxoffice.roles.second_factor.reset import reset_second_factor
from jobs.admin.read_only import SturdyAdmin
from jobs.admin.reason_form import ReasonForm


@dataclass(frozen=True)
class LoginVerb:
    """Something that is done for a login. asks, did: with ``%(name)s``."""

    name: str
    permission: str
    opens: str | Promise
    asks: str | Promise
    button: str | Promise
    what_happens: str | Promise
    did: str | Promise
    change: Callable[..., None]


RESET = LoginVerb(
    name="reset-second-factor",
    permission="boxoffice.reset_second_factor",
    opens=_("Reset the second factor…"),
    asks=_("Reset the second factor of %(name)s?"),
    button=_("Reset it"),
    what_happens=_(
        "The telephone and the recovery codes of this login are forgotten, and whoever is in by them is out at once. "
        "After the next password it sets up another. Make sure that you speak with the right person: who has the "
        "password could be somebody else."
    ),
    did=_("The second factor of %(name)s was reset. It is set up anew after the next password."),
    change=reset_second_factor,
)
LIFT = LoginVerb(
    name="lift-lockout",
    permission="boxoffice.lift_lockout",
    opens=_("Lift the lockout…"),
    asks=_("Lift the lockout of %(name)s?"),
    button=_("Lift it"),
    what_happens=_(
        "The failed attempts of this login are forgotten, and it can be tried again at once. If the person does not "
        "remember any, somebody else is guessing: have the password changed instead."
    ),
    did=_("The lockout of %(name)s was lifted. It can be tried again at once."),
    change=lift_lockout,
)
VERBS = (RESET, LIFT)

admin.site.unregister([User, Group])
# Their pages show the keys that telephones make codes of. Importing them first is what registers them.
admin.site.unregister([otp_totp.TOTPDevice, otp_static.StaticDevice])


@admin.register(User)
class LoginAdmin(SturdyAdmin, UserAdmin):
    """Django's page for who may change logins, a short one to look at for who may not.

    No login is deleted: the audit trails name it. One that is not wanted any more is made inactive.
    """

    list_display = ("username", "roles", "second_factor", "is_active", "last_login", "first_name", "last_name")
    list_filter = ("groups", "is_active", "is_staff", "is_superuser")

    class Media:
        css = {"all": ("boxoffice/css/support.css",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        has_device = Exists(TOTPDevice.objects.filter(user=OuterRef("pk"), confirmed=True))
        return super().get_queryset(request).prefetch_related("groups").annotate(has_device=has_device)

    @admin.display(description=_("roles"))
    def roles(self, user: User) -> str:
        return ", ".join(group.name for group in user.groups.all()) or "–"

    @admin.display(description=_("second factor"), boolean=True)
    def second_factor(self, user: Any) -> bool:
        return bool(user.has_device)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj is None or self.has_change_permission(request, obj):
            return super().get_fieldsets(request, obj)
        fields = ("username", "first_name", "last_name", "email", "groups", "is_active", "last_login", "date_joined")
        return ((None, {"fields": fields}),)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        verbs = [verb for verb in VERBS if request.user.has_perm(verb.permission)]
        return super().change_view(request, object_id, form_url, {"verbs": verbs, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        def page(verb: LoginVerb) -> URLPattern:
            view = self.admin_site.admin_view(partial(self.do, verb=verb))
            return path(f"<int:user_id>/{verb.name}/", view, name=f"auth_user_{verb.name}")

        return [*map(page, VERBS), *super().get_urls()]

    def do(self, request: HttpRequest, user_id: int, *, verb: LoginVerb) -> HttpResponse:
        """Ask (GET), or do it and say so (POST)."""
        if not request.user.has_perm(verb.permission) or not request.user.has_perm("auth.view_user"):
            raise PermissionDenied
        user = User.objects.filter(pk=user_id).first()
        if user is None:
            raise Http404
        words, back = {"name": user.get_username()}, reverse("admin:auth_user_change", args=[user.pk])
        form = ReasonForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            context = {
                **self.admin_site.each_context(request),
                "title": str(verb.asks) % words,
                "opts": self.opts,
                "media": self.media,
                "login": user,
                "verb": verb,
                "form": form,
                "back_url": back,
            }
            return TemplateResponse(request, "admin/auth/user/do.html", context)
        try:
            verb.change(user_id=user.pk, by=request.user, reason=form.cleaned_data["reason"])
        except BoxOfficeError as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, str(verb.did) % words)
        return HttpResponseRedirect(back)


@admin.register(Group)
class RoleAdmin(SturdyAdmin, GroupAdmin):
    """Django's own, and sturdy."""
