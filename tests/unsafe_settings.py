"""Settings with one trap in them: messages would be acknowledged before their jobs are claimed."""

from tests.settings import *  # noqa: F403

CELERY_TASK_ACKS_LATE = False
