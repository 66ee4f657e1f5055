"""The broker, the only part that is modelled: a bag of messages.

It delivers in any order, twice, late or never; it refuses, breaks off and leaves in doubt; its queue cannot be used for
a while; it gives messages up to its dead-letter queue. It keeps the one promise of a publisher: what is not returned
as refused has been taken.
"""

from __future__ import annotations

from jobs.broker import DeadLetterHandler
from jobs.broker.faults import QueueUnusable
from jobs.broker.messages import body_of, headers_of
from jobs.errors import BrokerUnavailable
from jobs.transitions import Message
from tests.integration.jobs.interleavings.actors import acting, stand

FATES = ("taken", "taken", "taken", "first refused", "refused", "in doubt", "broken off", "away", "queue unusable")
MARKED, PUBLISHED = "marked, not published", "published, answer not read"
COUNTING, SETTLED = "published jobs read, messages not counted", "dead letter settled, not acknowledged"

POINTS = (MARKED, PUBLISHED, COUNTING, SETTLED)


class Broker:
    """Messages by the place where they are. It is its own publisher."""

    def __init__(self) -> None:
        self.ready: list[Message] = []
        self.dead_letters: list[Message] = []
        self.ever: list[Message] = []
        """All that was ever taken: any of it may turn up again."""

    def publish(self, messages: list[Message]) -> list[Message]:
        actor = acting()
        stand(MARKED)
        match actor and actor.plan:
            case "away":
                raise BrokerUnavailable
            case "broken off":
                self.take(messages[: len(messages) // 2])
                stand(PUBLISHED)
                raise BrokerUnavailable
            case "queue unusable":
                self.take(messages[: len(messages) // 2])
                stand(PUBLISHED)
                raise QueueUnusable(messages[0].queue)
            case "refused":
                refused = messages
            case "first refused":
                refused = messages[:1]
                self.take(messages[1:])
            case "in doubt":
                refused = messages
                self.take(messages)
            case _:
                refused = []
                self.take(messages)
        stand(PUBLISHED)
        return refused

    def is_usable(self, queue: str) -> bool:
        return not ((actor := acting()) and actor.plan == "queue known as unusable")

    def ready_count(self, queue: str) -> int:
        stand(COUNTING)
        match (actor := acting()) and actor.plan:
            case "away":
                raise BrokerUnavailable
            case "queue unusable":
                raise QueueUnusable(queue)
        return len(self.ready)

    def drain_dead_letters(self, settle: DeadLetterHandler, *, limit: int) -> int:
        messages = self.dead_letters[:limit]
        for message in messages:
            settle(headers_of(message), body_of(message), "application/json")
            stand(SETTLED)
            if message in self.dead_letters:
                self.dead_letters.remove(message)
        return len(messages)

    def close(self) -> None:
        """Nothing to give back."""

    def take(self, messages: list[Message]) -> None:
        self.ready += messages
        self.ever += messages

    def give_up(self, message: Message) -> None:
        """Past its delivery limit, as the broker counts."""
        self.ready.remove(message)
        self.dead_letters.append(message)
