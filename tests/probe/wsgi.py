"""The web process of the chaos run. granian's workers outlive a granian that was killed; these do not."""

from config.wsgi import application
from tests.processes import _die_with_the_tests

__all__ = ["application"]

_die_with_the_tests()
