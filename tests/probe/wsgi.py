"""The web process of the chaos run. granian's workers outlive a granian that was killed; these do not."""

# ruff: noqa: E402

import os

from tests.warm_server import die_with_the_parent

die_with_the_parent()  # first, since the rest takes a second
if os.getppid() == 1:
    raise SystemExit("granian is gone already")

from config.wsgi import application

__all__ = ["application"]
