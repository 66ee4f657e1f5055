"""Import this first: the settings are loaded and the apps are ready for what is imported next."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
