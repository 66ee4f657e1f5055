"""The web process. It pools its database connections and never opens one to the broker."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("DATABASE_POOL_SIZE", "8")

from django.core.wsgi import get_wsgi_application

from config.only_utf8 import OnlyUtf8

application = OnlyUtf8(get_wsgi_application())
