"""Where the processes of this host count. Import it before whatever counts."""

from pathlib import Path

from config.environment import read

# prometheus_client reads the variable itself, when it is imported; the folder must be there by then.
FOLDER: str = read("PROMETHEUS_MULTIPROC_DIR")
if FOLDER:
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
