"""Who is asking: nobody, until every proof that his login needs has been given and his time is not over.

Guarantee: ``request.user`` is a stranger on every page, the admin's, the door's and any other, as long as the second
factor of a login that needs one has not been given. The pages that ask for it find him by ``halfway_user``.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import HttpRequest
from django_otp import user_has_device
from django_otp.middleware import OTPMiddleware

from boxoffice.roles.time_out import end_if_timed_out

NEEDS_SECOND_FACTOR = "second_factor_due"
"""In the session of a login that has set one up, though nobody has to."""


class StaffMiddleware(OTPMiddleware):
    """In place of django-otp's: it is what every page knows ``request.user`` by. Lazy: fans' pages ask nothing."""

    async_capable = False

    def _verify_user_sync(self, request: HttpRequest, user: Any) -> Any:
        user = super()._verify_user_sync(request, user)
        if not user.is_authenticated:
            return user
        if end_if_timed_out(request, user):
            return self._stranger()
        if needs_second_factor(request, user) and not user.is_verified():
            request.halfway = user  # type: ignore[attr-defined]
            return self._stranger()
        return user

    def _stranger(self) -> AnonymousUser:
        stranger = AnonymousUser()
        self._init_user_fields(stranger)
        return stranger


def works_at_the_desk(user: Any) -> bool:
    """Whether the login opens the admin: the door's do not."""
    return bool(user.is_staff or user.is_superuser)


def needs_second_factor(request: HttpRequest, user: Any) -> bool:
    """Whether this login has to give one: all of the desk where the setting says so, and who has set one up."""
    return works_at_the_desk(user) and bool(settings.STAFF_SECOND_FACTOR or request.session.get(NEEDS_SECOND_FACTOR))


def halfway_user(request: HttpRequest) -> AbstractBaseUser | None:
    """Who has given his password and not yet his second factor; None for everybody else."""
    return None if request.user.is_authenticated else getattr(request, "halfway", None)


def note_login(*, request: HttpRequest, user: Any, **_told: Any) -> None:
    """A receiver of ``user_logged_in``: remember whether a second factor is due."""
    if works_at_the_desk(user) and not settings.STAFF_SECOND_FACTOR and user_has_device(user):
        request.session[NEEDS_SECOND_FACTOR] = True
