"""How BoxOffice is put together: settings, Celery's app, urls, routes, queues."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
