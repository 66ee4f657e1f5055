"""The figure of the last minutes on the page of clicks, which does without it where Redis does not answer at once."""

from __future__ import annotations

from collections.abc import Sequence

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from snip.models import LinkCode
from snip.samples.sampler import read_live

TIMEOUT_SECONDS = 0.3


def live_clicks(*, link_ids: Sequence[int] | None) -> int | None:
    """Clicks of the last minutes on these links, about; None for all links. None where it cannot be had. A query."""
    codes = None
    if link_ids is not None:
        codes = list(LinkCode.objects.filter(link_id__in=link_ids).values_list("code", flat=True))
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=TIMEOUT_SECONDS,
            socket_connect_timeout=TIMEOUT_SECONDS,
        ) as client:
            return read_live(client=client, codes=codes)
    except redis.RedisError:
        return None
