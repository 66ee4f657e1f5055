"""Why a message was not sent. Each docstring is the message and says what to do."""

from __future__ import annotations

from jobs.errors import PermanentError, RateLimited, TransientError


class UnknownNotification(PermanentError):
    """There is no such notification. It may have been deleted; look at the order."""


class WrongChannel(PermanentError):
    """What was written is not what this notification's channel carries. Correct its kind, then replay the job."""


class MessageRefused(PermanentError):
    """The mail server will not take this message. Correct the address or the message, then send it again."""


class HeaderInjection(MessageRefused):
    """A name, an address or the subject of this message holds a line break. Correct it, then send it again."""


class BadAddress(MessageRefused):
    """This is not an e-mail address that a message can be sent to. Correct it, then send it again."""


class TooLarge(MessageRefused):
    """The attachments are larger than a mail may be, and there is no link to them. Make them smaller, then replay."""


class LargerThanTaken(MessageRefused):
    """The mail provider takes no message as large as this one. Lower MAIL_ATTACHMENTS_MB, then replay the job."""


class ForgedMailEvent(PermanentError):
    """The mail provider did not sign this. Check MAIL_WEBHOOK_SECRET, and this machine's clock."""


class MailServerUnavailable(TransientError):
    """The mail server could not be reached or asked to try later. The message is sent when it is back."""


class MailServerBusy(RateLimited):
    """The mail server takes no more messages for the moment. The message is sent a little later."""


class NoRoomYet(RateLimited):
    """Enough calls to this provider are on their way for its rate. The message is sent a little later."""


class UnknownPushService(PermanentError):
    """Messages are not sent to this address: it is none of a push service that PUSH_SERVICES names."""


class UnfitSubscription(PermanentError):
    """The keys of this subscription are none that a message can be encrypted with. Subscribe again."""


class SubscriptionGone(PermanentError):
    """The browser has ended this subscription. Nothing is to be done: it can subscribe again."""


class PushIsNotSetUp(PermanentError):
    """This installation has no key for push messages. Set VAPID_PRIVATE_KEY, then replay the job."""


class PushMessageTooLong(PermanentError):
    """This is more than fits into a push message. Shorten what its kind says, then replay the job."""


class PushRefused(PermanentError):
    """The push service will not take this message. Mend what it says, then replay the job."""


class PushServiceUnavailable(TransientError):
    """The push service could not be reached or asked to try later. The message is sent when it is back."""


class PushServiceBusy(RateLimited):
    """The push service takes no more messages for the moment. The message is sent a little later."""
