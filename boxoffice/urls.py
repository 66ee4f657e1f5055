"""The addresses of the box office: the storefront's and the door's."""

from boxoffice.door.urls import urlpatterns as door
from boxoffice.storefront.urls import urlpatterns as storefront

urlpatterns = [*storefront, *door]
