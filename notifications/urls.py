"""Where the mail provider tells what became of mails."""

from django.urls import re_path

from notifications.feedback.webhook import MailEvents

urlpatterns = [
    re_path(r"^webhooks/mail/?$", MailEvents.as_view(), name="mail_webhook"),
]
