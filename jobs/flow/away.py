"""Whether a provider is taken for away, for pages that tell somebody who waits for it."""

from __future__ import annotations

from jobs.models import Breaker


def is_away(*, destination: str, using: str = "default") -> bool:
    """Whether its breaker is not closed: it does not answer, or has only just begun to again. One query."""
    return Breaker.objects.using(using).filter(destination=destination).exclude(state=Breaker.State.CLOSED).exists()
