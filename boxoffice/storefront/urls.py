"""The addresses of the storefront."""

from __future__ import annotations

from django.urls import path
from django.views.i18n import set_language

from boxoffice.storefront.alerts import sale_alert, tell_me
from boxoffice.storefront.calendar import order_calendar
from boxoffice.storefront.checkout import checkout, give_back
from boxoffice.storefront.find_orders import find_orders
from boxoffice.storefront.gone_hold import hold_again
from boxoffice.storefront.health import healthz
from boxoffice.storefront.keep_hold import back, leave, more_time
from boxoffice.storefront.listing import show_list
from boxoffice.storefront.money_back import money_back
from boxoffice.storefront.order import order_page, order_status
from boxoffice.storefront.order_push import order_push, push_worker
from boxoffice.storefront.own_order import own_name, send_again
from boxoffice.storefront.show import show_page
from boxoffice.storefront.show_seats import show_seats
from boxoffice.storefront.show_states import show_states
from boxoffice.storefront.ticket_file import order_tickets, ticket_file
from boxoffice.storefront.unsubscribe import unsubscribe
from boxoffice.storefront.write_to_us import write_to_us

urlpatterns = [
    path("", show_list, name="show_list"),
    path("shows/<slug:slug>/", show_page, name="show"),
    path("shows/<slug:slug>/seats.json", show_seats, name="show-seats"),
    path("shows/<slug:slug>/states", show_states, name="show-states"),
    path("shows/<slug:slug>/tell-me/", tell_me, name="tell_me"),
    path("alerts/<slug:token>/", sale_alert, name="sale_alert"),
    path("holds/<uuid:token>/", checkout, name="checkout"),
    path("holds/<uuid:token>/release/", give_back, name="release_hold"),
    path("holds/<uuid:token>/more-time/", more_time, name="more_time"),
    path("holds/<uuid:token>/again/", hold_again, name="hold_again"),
    path("holds/<uuid:token>/leave/", leave, name="leave_hold"),
    path("holds/<uuid:token>/back/", back, name="come_back"),
    path("orders/<slug:token>/", order_page, name="order"),
    path("orders/push-worker.js", push_worker, name="push_worker"),
    path("orders/<slug:token>/push/", order_push, name="order_push"),
    path("orders/<slug:token>/status/", order_status, name="order_status"),
    path("orders/<slug:token>/show.ics", order_calendar, name="order_calendar"),
    path("orders/<slug:token>/tickets.pdf", order_tickets, name="order_tickets"),
    path("orders/<slug:token>/send-again/", send_again, name="send_again"),
    path("orders/<slug:token>/name/", own_name, name="own_name"),
    path("orders/<slug:token>/money-back/", money_back, name="money_back"),
    path("orders/<slug:token>/write-to-us/", write_to_us, name="write_about_order"),
    path("my-orders/", find_orders, name="find_orders"),
    path("write-to-us/", write_to_us, name="write_to_us"),
    path("mails/<str:token>/end/", unsubscribe, name="unsubscribe"),
    path("files/<str:link>/tickets.pdf", ticket_file, name="ticket_file"),
    path("language/", set_language, name="set_language"),
    path("healthz", healthz, name="healthz"),
]
