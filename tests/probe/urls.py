"""The site and the probe's page; only the chaos run serves it."""

from django.urls import path

from config.urls import handler500, urlpatterns
from tests.probe.views import purchase

__all__ = ["handler500", "urlpatterns"]

urlpatterns = [path("probe/purchases", purchase), *urlpatterns]
