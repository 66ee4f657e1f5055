"""The settings of the processes that chaos meets: those of the tests, and a page that sells."""

from tests.settings import *  # noqa: F403

ROOT_URLCONF = "tests.probe.urls"
