"""What the CronJobs run: beside itself, in the bare environment of its container."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.db import connection

from config.environment import VARIABLES
from deploy.derived.cronjobs import CRON_JOBS
from deploy.local.checkout import ROOT
from deploy.local.ports import HOST, Ports
from inventory.models import Hold
from tests.fixtures_inventory import all_at_once
from tests.fixtures_jobs import environment

pytestmark = pytest.mark.django_db(transaction=True)


def environment_of_the_container(folder: Path) -> dict[str, str]:
    """The manifest's and the secret's variables, and neither a broker nor Redis that answers."""
    manifest = yaml.safe_load((ROOT / "deploy/k8s/release-expired-holds-cronjob.yaml").read_text())
    (container,) = manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    nobody = f"redis://{HOST}:{Ports(file=folder / 'ports.json').port_for('nobody')}/0"
    ours = environment(nobody)
    secret = {variable.name: ours[variable.name] for variable in VARIABLES if variable.required}
    given = {entry["name"]: entry["value"].replace("/tmp", str(folder)) for entry in container["env"]}
    return {"PATH": os.environ["PATH"], **secret, **given, "REDIS_URL": nobody}


def test_two_runs_at_once_need_the_database_only_and_release_each_hold_once(lapsed_hold: Hold, tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "release_expired_holds"]
    given = environment_of_the_container(tmp_path)
    runs = [subprocess.Popen(command, cwd=ROOT, env=given, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [run.communicate(timeout=60)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert [text.splitlines()[-1] for text in said].count("Expired holds released: 1") == 1
    lapsed_hold.refresh_from_db()
    assert lapsed_hold.status == "expired"


@pytest.mark.parametrize("command", [job.command for job in CRON_JOBS])
def test_a_run_that_meets_another_one_is_no_failure(command: str) -> None:
    def run() -> None:
        try:
            call_command(command, stdout=StringIO())
        finally:
            connection.close()

    outcomes = all_at_once([run] * 4, threads=4)
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
