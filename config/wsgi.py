"""The web process. It pools its database connections and never opens one to the broker."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("DATABASE_POOL_SIZE", "8")

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
