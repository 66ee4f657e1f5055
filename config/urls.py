"""The storefront at the root, the support desk under /admin/."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("boxoffice.urls")),
]

handler500 = "boxoffice.storefront.errors.server_error"
