"""Who may read the metrics, and where the processes of this host keep what they count."""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.environment import read

LEDGER_METRICS_TOKEN = read("METRICS_TOKEN")
LEDGER_METRICS_HOST = read("METRICS_HOST")
LEDGER_METRICS_PORT = read("METRICS_PORT")

# prometheus_client reads the variable itself, when it is imported; the folder must be there by then.
LEDGER_METRICS_FOLDER = read("PROMETHEUS_MULTIPROC_DIR")
if LEDGER_METRICS_FOLDER:
    Path(LEDGER_METRICS_FOLDER).mkdir(parents=True, exist_ok=True)
elif LEDGER_METRICS_PORT:
    raise ImproperlyConfigured(
        "METRICS_PORT is set and PROMETHEUS_MULTIPROC_DIR is not: a worker counts in its children, and would show none "
        "of it. Set PROMETHEUS_MULTIPROC_DIR to a folder that is empty when the container starts."
    )
