"""The admin with our site in place of Django's. Imported before any model: it names the site, and no more."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class DeskConfig(AdminConfig):
    default_site = "boxoffice.roles.site.DeskSite"
