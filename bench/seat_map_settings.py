"""Production's settings, with a plain page of seats beside the box office."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench.plain_seat_map"
