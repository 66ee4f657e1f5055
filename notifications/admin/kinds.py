"""What the kinds of messages are called at the desk. Whoever writes the messages says so; this app knows no kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib.admin import AllValuesFieldListFilter

from notifications.models import Notification

_namers: list[Callable[[Notification], str]] = []


def name_kinds(*, by: Callable[[Notification], str]) -> None:
    """Let messages be called what ``by`` answers: words in the reader's language."""
    _namers[:] = [by]


def kind_in_words(notification: Notification) -> str:
    """The kind in words; its own name where nobody has said any."""
    return _namers[0](notification) if _namers else notification.kind


class KindFilter(AllValuesFieldListFilter):
    """By kind, in words."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        for choice in super().choices(changelist):
            kind = str(choice["display"])
            known = kind in {str(each) for each in self.lookup_choices}
            words = kind_in_words(Notification(kind=kind, channel=Notification.Channel.EMAIL)) if known else kind
            yield {**choice, "display": words}
