"""The redirect's process: ``granian --interface asgi config.redirect:application``. No Django app is loaded in it."""

from __future__ import annotations

from logging.config import dictConfig
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from config.environment import read
from config.log_lines import LOGGING
from config.metrics_folder import FOLDER
from config.sentry import start_reporting
from snip.log.bounds import Bounds, Policy
from snip.redirect.app import Redirect
from snip.redirect.open_files import allow_connections
from snip.redirect.setup import Setup

dictConfig(LOGGING)
allow_connections()
if read("SENTRY_DSN"):
    start_reporting(read("SENTRY_DSN"))

# All that /metrics asks for. The settings of the shop would bring its keys, and a second or two of start, with them.
settings.configure(LEDGER_METRICS_FOLDER=FOLDER, LEDGER_METRICS_TOKEN=read("METRICS_TOKEN"))

application = Redirect(
    Setup(
        database_url=read("DATABASE_URL"),
        redis_url=read("REDIS_URL"),
        public_url=read("PUBLIC_URL"),
        bounds=Bounds(
            streams=read("SNIP_STREAMS"), length=read("SNIP_LOG_LENGTH"), policy=Policy(read("SNIP_LOG_POLICY"))
        ),
        base_path=f"{urlsplit(read('SNIP_BASE_URL')).path.rstrip('/')}/",
        producer_token=read("SNIP_PRODUCER_TOKEN"),
        behind_proxy=read("TRUSTED_PROXY"),
        country_header=read("SNIP_COUNTRY_HEADER").lower(),
        geoip_file=Path(read("SNIP_GEOIP_FILE")) if read("SNIP_GEOIP_FILE") else None,
        locale=Path(__file__).resolve().parents[1] / "locale",
    )
)
