"""The addresses of the box office: all of them belong to the storefront."""

from boxoffice.storefront.urls import urlpatterns

__all__ = ["urlpatterns"]
