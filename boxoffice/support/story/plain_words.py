"""Jobs and their errors, said so that support staff can tell a fan."""

from __future__ import annotations

import re

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from notifications.erased_recipient import is_erased
from notifications.models import Notification

_JOBS: dict[str, str | Promise] = {
    "tickets.issue_tickets": _("Make the tickets"),
    "tickets.renew_document": _("Make the ticket file anew without void tickets"),
    "tickets.discard_file": _("Remove the old ticket file"),
    "boxoffice.tell_tickets_ready": _("Plan the mail with the tickets"),
    "boxoffice.tell_tickets_late": _("Plan the mails about late tickets"),
    "boxoffice.tell_show_moved": _("Plan the mails about the new date"),
    "boxoffice.tell_holders": _("Plan the mails about what became of the show"),
    "boxoffice.send_message": _("Send the mail"),
    "boxoffice.send_bulk": _("Send the mail"),
    "boxoffice.send_push": _("Send the push message"),
    "boxoffice.settle_payment": _("Ask what became of the payment"),
    "boxoffice.send_refund": _("Send the refund to the payment provider"),
    "boxoffice.send_mass_refund": _("Send the refund to the payment provider"),
    "boxoffice.plan_order_again": _("Plan what is left to give back"),
    "boxoffice.try_failed_again": _("Try failed refunds again"),
    "boxoffice.take_dispute": _("Ask how the dispute stands"),
    "boxoffice.ask_about_refund": _("Ask how the refund stands"),
}

_MESSAGES: dict[str, str | Promise] = {
    "tickets_ready": _("Mail with the tickets"),
    "tickets_late": _("Mail that the tickets take longer"),
    "export_ready": _("Mail that an export is ready"),
    "day_reconciled": _("Mail about a day's reconciliation"),
    "my_orders": _("Mail with the links to orders"),
    "sale_opened": _("Mail that the sale has opened"),
    "show_moved": _("Mail about the new date"),
    "show_cancelled": _("Mail that the show is cancelled"),
    "show_postponed": _("Mail that the show is postponed"),
    "show_goes_on": _("Mail that the show takes place after all"),
    "tickets_disputed": _("Mail about tickets of a disputed payment"),
    "reminder": _("Reminder"),
    "paid_too_late": _("Mail that the money goes back"),
    "refund_done": _("Mail about the refund"),
}

_PUSHED: dict[str, str | Promise] = {
    "tickets_ready": _("Push message about the tickets"),
    "refund_done": _("Push message about the refund"),
}

_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")

# By the class that stands before the colon of a job's error. Errors of our own are sentences already.
_ERRORS: dict[str, str | Promise] = {
    "ConnectionRefusedError": _("The other side refused the connection. It may be down."),
    "ConnectionResetError": _("The connection broke off."),
    "BrokenPipeError": _("The connection broke off."),
    "ConnectionAbortedError": _("The connection broke off."),
    "SMTPServerDisconnected": _("The mail server hung up."),
    "SMTPConnectError": _("The mail server was not ready."),
    "SMTPHeloError": _("The mail server was not ready."),
    "SMTPRecipientsRefused": _("The mail server does not accept the address."),
    "SMTPSenderRefused": _("The mail server does not accept us as a sender."),
    "SMTPDataError": _("The mail server refused the message."),
    "TimeoutError": _("There was no answer in time."),
    "gaierror": _("The server's name could not be found."),
    "SSLCertVerificationError": _("The server's certificate is not valid."),
    "SoftTimeLimitExceeded": _("It took too long and was stopped."),
    "OperationalError": _("The database was away or busy."),
    "InterfaceError": _("The connection to the database was lost."),
    "FileNotFoundError": _("A file is missing."),
    "PermissionError": _("A file may not be read or written."),
}


def name_of_job(task: str) -> str:
    """What a job does, in words; the task's own name where no words are known."""
    return str(_JOBS.get(task, task))


def name_of_mail(kind: str) -> str:
    """What a mail of this kind is, in words; the kind's own name where no words are known."""
    return str(_MESSAGES.get(kind, kind))


def name_of_message(message: Notification) -> str:
    """What a message is, in words; its kind's own name where no words are known."""
    names = _PUSHED if message.channel == Notification.Channel.PUSH else _MESSAGES
    return str(names.get(message.kind, message.kind))


def name_of_recipient(message: Notification) -> str:
    """The address, that it was erased, or which browser it is: nobody is served by the address of one."""
    if message.channel == Notification.Channel.PUSH:
        return gettext("browser %(number)s") % {"number": message.recipient.partition(":")[2]}
    return address_in_words(message.recipient)


def address_in_words(address: str) -> str:
    """The address, or that it was erased: see ``erase_recipients``."""
    return gettext("an address that was erased") if not address or is_erased(recipient=address) else address


def explain(error: str) -> str:
    """A job's error (``TimeoutError: timed out``) as a sentence; empty for no error."""
    if not error:
        return ""
    name, _colon, text = error.partition(": ")
    known = _ERRORS.get(name.rpartition(".")[2])
    if known is not None:
        return str(known)
    if not text:
        return gettext("An unexpected error (%(name)s).") % {"name": name}
    return _ERROR_NUMBER.sub("", text).strip()


def language_in_words(code: str) -> str:
    """``English`` for ``en``, in the reader's language; a code that nobody knows stays as it is."""
    return str(dict(settings.LANGUAGES).get(code, code))
