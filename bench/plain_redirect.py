"""The plain way to count clicks: a Django view that looks the code up, writes a row, and redirects. For gunicorn."""

from __future__ import annotations

import os

import environ
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import models
from django.http import HttpRequest, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {**environ.Env.db_url_config(os.environ["DATABASE_URL"]), "CONN_MAX_AGE": None}},
    ROOT_URLCONF=__name__,
    SECRET_KEY="of a measurement",
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
application = get_wsgi_application()


class PlainLink(models.Model):
    """A code, and where it leads."""

    code = models.TextField(primary_key=True)
    target = models.TextField()

    class Meta:
        app_label, db_table, managed = "plain", "plain_link", False

    def __str__(self) -> str:
        return self.code


class PlainClick(models.Model):
    """A row for each click."""

    code = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
    user_agent = models.TextField()
    referrer = models.TextField()

    class Meta:
        app_label, db_table, managed = "plain", "plain_click", False

    def __str__(self) -> str:
        return self.code


def follow(request: HttpRequest, code: str) -> HttpResponseRedirect:
    """Count and redirect."""
    link = get_object_or_404(PlainLink, code=code)
    PlainClick._default_manager.create(
        code=code, user_agent=request.headers.get("User-Agent", ""), referrer=request.headers.get("Referer", "")
    )
    return HttpResponseRedirect(link.target)


urlpatterns = [path("<str:code>", follow)]
