"""Languages and time. Instants are stored in UTC and shown in the venue's zone."""

from pathlib import Path

from django.utils.translation import gettext_lazy as _

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German"))]
LOCALE_PATHS = [Path(__file__).resolve().parents[2] / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = "config.formats"
