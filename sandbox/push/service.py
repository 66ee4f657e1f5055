"""The one push service of this process: its subscriptions, what arrived for them, and its knobs.

All of it is in memory: a service that starts anew knows no subscription, as when a browser has ended them all.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from sandbox.push.browser_keys import BrowserKeys
from sandbox.push.knobs import Knobs

MOST_MESSAGES = 1_000
MOST_SUBSCRIPTIONS = 1_000
LONGEST_TTL = 28 * 86_400
"""Seconds that a message is kept at most, whatever was asked for; the answer says so (RFC 8030, section 5.2)."""


@dataclass
class Message:
    """What arrived, as the browser reads it. ``state``: ``waiting``, ``delivered``, ``replaced`` or ``expired``."""

    id: str
    subscription: str
    text: str
    topic: str
    urgency: str
    ttl: int
    arrived_at: float
    claims: dict[str, Any]
    state: str = "waiting"


@dataclass(frozen=True)
class Subscription:
    """One browser's. ``application_server_key``: of the only one who may send to it; empty for everybody."""

    id: str
    keys: BrowserKeys
    application_server_key: str
    ended: bool = field(default=False)


class PushService:
    """What all requests work on, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.forget_everything()

    def forget_everything(self) -> None:
        """As on the first day."""
        with self._lock:
            self.knobs = Knobs()
            self.messages: list[Message] = []
            self._subscriptions: OrderedDict[str, Subscription] = OrderedDict()
            self.followed_redirects = 0

    def now(self) -> float:
        """The service's time in seconds since 1970: the machine's, moved ahead by the knob."""
        return time.time() + self.knobs.clock_offset_s

    def new_subscription(self, *, application_server_key: str = "") -> Subscription:
        """A browser subscribes."""
        subscription = Subscription(secrets.token_urlsafe(24), BrowserKeys.new(), application_server_key)
        with self._lock:
            self._subscriptions[subscription.id] = subscription
            while len(self._subscriptions) > MOST_SUBSCRIPTIONS:
                self._subscriptions.popitem(last=False)
        return subscription

    def subscription(self, id: str) -> Subscription | None:
        return self._subscriptions.get(id)

    def subscriptions(self) -> list[Subscription]:
        """The newest first."""
        with self._lock:
            return list(reversed(self._subscriptions.values()))

    def end_subscription(self, id: str) -> bool:
        """The browser ends it: its endpoint answers 410 from now on. False when there is none."""
        with self._lock:
            if id in self._subscriptions:
                self._subscriptions[id] = replace(self._subscriptions[id], ended=True)
            return id in self._subscriptions

    def take(self, message: Message) -> None:
        """Keep a message, in place of one of its topic that still waits, and deliver it where somebody listens."""
        with self._lock:
            if message.topic:
                for other in self.messages:
                    same = other.subscription == message.subscription and other.topic == message.topic
                    if same and other.state == "waiting":
                        other.state = "replaced"
            self.messages.append(message)
            del self.messages[:-MOST_MESSAGES]
            self.let_happen()

    def turn(self, changes: Mapping[str, Any]) -> Knobs:
        """Change some knobs and return how they stand now. Raises BadKnob."""
        with self._lock:
            self.knobs = self.knobs.turned(changes)
            self.let_happen()
            return self.knobs

    def use_up(self, name: str) -> bool:
        """Take one from a counting knob. False when it stands at 0."""
        with self._lock:
            left = getattr(self.knobs, name)
            if left > 0:
                self.knobs = replace(self.knobs, **{name: left - 1})
            return bool(left)

    def let_happen(self) -> None:
        """Deliver what waits where browsers are on line; what waited for longer than its TTL is delivered to nobody."""
        with self._lock:
            for message in self.messages:
                if message.state != "waiting":
                    continue
                if not self.knobs.offline and self.now() <= message.arrived_at + max(message.ttl, 1):
                    message.state = "delivered"
                elif self.now() >= message.arrived_at + message.ttl:
                    message.state = "expired"


@lru_cache(maxsize=1)
def the_service() -> PushService:
    """The service of this process."""
    return PushService()
