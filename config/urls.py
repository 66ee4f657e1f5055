"""The storefront at the root, the support desk under /admin/, the metrics."""

from django.contrib import admin
from django.urls import include, path

from jobs.scrape.page import metrics_page

urlpatterns = [
    path("metrics", metrics_page, name="metrics"),
    path("admin/", admin.site.urls),
    path("", include("notifications.urls")),
    path("", include("boxoffice.payments.urls")),
    path("", include("boxoffice.urls")),
]

handler500 = "boxoffice.storefront.errors.server_error"
