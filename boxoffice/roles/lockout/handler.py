"""Failures to log in, counted for each name and address.

Guarantee: a failure that was answered is counted, however many come at once; a lockout ends COOLOFF after the failure
that caused it, by the database's clock, whatever is tried meanwhile.
"""

from __future__ import annotations

from typing import Any

import structlog
from axes.handlers.base import AbstractAxesHandler, AxesBaseHandler
from axes.helpers import get_client_username
from django.conf import settings
from django.db import connection
from django.http import HttpRequest

log = structlog.get_logger(__name__)

# A row for each name and address. Older failures than the time-out count no more: the row starts over.
# By the unique (username, ip_address, user_agent); the browser is left empty.
COUNT_FAILURE = """
    INSERT INTO axes_accessattempt AS a
        (username, ip_address, user_agent, http_accept, path_info, get_data, post_data, attempt_time,
         failures_since_start)
    VALUES (%(username)s, %(address)s, '', '', '', '', '', jobs_now(), 1)
    ON CONFLICT (username, ip_address, user_agent) DO UPDATE
       SET attempt_time = jobs_now(),
           failures_since_start = CASE WHEN a.attempt_time > jobs_now() - %(cooloff)s
                                       THEN a.failures_since_start + 1 ELSE 1 END
    RETURNING failures_since_start
"""
FAILURES = """
    SELECT failures_since_start FROM axes_accessattempt
     WHERE username = %(username)s AND ip_address = %(address)s AND user_agent = ''
       AND attempt_time > jobs_now() - %(cooloff)s
"""
FORGET = "DELETE FROM axes_accessattempt WHERE username = %(username)s AND ip_address = %(address)s"


class LockoutHandler(AbstractAxesHandler, AxesBaseHandler):
    """What django-axes calls, by its settings."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """How often this name has failed from this address since it last got in, or was quiet for the time-out."""
        with connection.cursor() as cursor:
            cursor.execute(FAILURES, _who(request, credentials))
            row = cursor.fetchone()
        return row[0] if row else 0

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **_told: Any
    ) -> None:
        """Count it, unless the login was locked and no password was looked at."""
        if request is None or request.axes_locked_out:  # type: ignore[attr-defined]
            return
        with connection.cursor() as cursor:
            cursor.execute(COUNT_FAILURE, _who(request, credentials))
            (failures,) = cursor.fetchone()
        if failures >= settings.AXES_FAILURE_LIMIT:
            log.warning("login_locked", failures=failures)  # neither name nor address: logs go far
            request.axes_locked_out = True  # type: ignore[attr-defined]

    def user_logged_in(self, sender: Any, request: HttpRequest, user: Any, **_told: Any) -> None:
        """Forget the failures of before."""
        with connection.cursor() as cursor:
            cursor.execute(FORGET, _who(request, {"username": user.get_username()}))

    def user_logged_out(self, sender: Any, request: HttpRequest, user: Any, **_told: Any) -> None:
        """Nothing to note: who logged in and out is nobody's business here."""

    def post_save_access_attempt(self, instance: Any, **_told: Any) -> None:
        """Nothing to do."""

    def post_delete_access_attempt(self, instance: Any, **_told: Any) -> None:
        """Nothing to do."""


def _who(request: HttpRequest, credentials: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "username": (get_client_username(request, credentials) or "")[:255],
        "address": request.axes_ip_address,  # type: ignore[attr-defined]
        "cooloff": settings.AXES_COOLOFF_TIME,
    }
