"""Static files under hashed names by WhiteNoise; ticket files in a private storage of their own."""

from config.environment import read
from config.ticket_storage import s3_storage

STATIC_URL = "static/"
STATIC_ROOT = read("STATIC_ROOT")
MEDIA_ROOT = read("MEDIA_ROOT")

STORAGES = {
    "staticfiles": {"BACKEND": "config.static_files.HashedStaticFiles"},
    "default": {
        # A job that runs again writes the same file again: it must not become a second one, and whoever reads it
        # meanwhile gets the old file or the new one, never half of one.
        "BACKEND": "tickets.storage.ReplacingFileStorage",
        "OPTIONS": {
            "allow_overwrite": True,
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
}
if _bucket := read("TICKET_STORAGE_URL"):
    STORAGES["default"] = s3_storage(_bucket)
WHITENOISE_MANIFEST_STRICT = True

TICKET_SIGNING_KEYS = read("TICKET_SIGNING_KEYS")
