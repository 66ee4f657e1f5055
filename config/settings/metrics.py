"""Who may read the metrics, and where the processes of this host keep what they count."""

from django.core.exceptions import ImproperlyConfigured

from config.environment import read
from config.metrics_folder import FOLDER

LEDGER_METRICS_TOKEN = read("METRICS_TOKEN")
LEDGER_METRICS_HOST = read("METRICS_HOST")
LEDGER_METRICS_PORT = read("METRICS_PORT")

LEDGER_METRICS_FOLDER = FOLDER
if LEDGER_METRICS_PORT and not FOLDER:
    raise ImproperlyConfigured(
        "METRICS_PORT is set and PROMETHEUS_MULTIPROC_DIR is not: a worker counts in its children, and would show none "
        "of it. Set PROMETHEUS_MULTIPROC_DIR to a folder that is empty when the container starts."
    )
