"""Push messages to browsers: our key, whom push services may write to, and which services there are."""

from email.utils import parseaddr

from config.environment import read

VAPID_PRIVATE_KEY = read("VAPID_PRIVATE_KEY")
VAPID_CONTACT = read("VAPID_CONTACT") or f"mailto:{parseaddr(read('DEFAULT_FROM_EMAIL'))[1]}"
PUSH_SERVICES = read("PUSH_SERVICES")
