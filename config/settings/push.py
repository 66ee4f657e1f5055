"""Push messages to browsers: our key, whom push services may write to, and which services there are."""

from email.utils import parseaddr

from django.core.exceptions import ImproperlyConfigured

from config.acceptable import contact
from config.environment import read

VAPID_PRIVATE_KEY = read("VAPID_PRIVATE_KEY")
VAPID_CONTACT = read("VAPID_CONTACT") or f"mailto:{parseaddr(read('DEFAULT_FROM_EMAIL'))[1]}"
if VAPID_PRIVATE_KEY and not contact(VAPID_CONTACT):
    raise ImproperlyConfigured(
        "Push services can write to nobody at the domain of DEFAULT_FROM_EMAIL, and would take no message: set "
        "VAPID_CONTACT, for example to mailto:operator@example.org."
    )
PUSH_SERVICES = read("PUSH_SERVICES")
