"""The CronJobs: never beside themselves, never for long, with no more rights than they need."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from config.environment import VARIABLES
from deploy.derived.cronjobs import CRON_JOBS, CronJob
from deploy.local.checkout import ROOT

pytestmark = pytest.mark.parametrize("job", CRON_JOBS, ids=lambda job: job.name)


def manifest(job: CronJob) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(text_of(job))
    return loaded


def text_of(job: CronJob) -> str:
    return (ROOT / f"deploy/k8s/{job.name}-cronjob.yaml").read_text()


def pod(job: CronJob) -> dict[str, Any]:
    found: dict[str, Any] = manifest(job)["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return found


def container(job: CronJob) -> dict[str, Any]:
    (only,) = pod(job)["containers"]
    return dict(only)


def test_a_run_is_not_started_beside_another_nor_made_up_for_and_leaves_three_runs_of_history(job: CronJob) -> None:
    found = manifest(job)
    assert (found["apiVersion"], found["kind"], found["metadata"]["name"]) == ("batch/v1", "CronJob", job.name)
    spec = {name: value for name, value in found["spec"].items() if name != "jobTemplate"}
    assert spec == {
        "schedule": job.schedule,
        "timeZone": "Etc/UTC",
        "concurrencyPolicy": "Forbid",
        "startingDeadlineSeconds": 30,
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 3,
    }


def test_a_run_is_gone_before_the_next_minute_and_tried_three_times_at_most(job: CronJob) -> None:
    run = manifest(job)["spec"]["jobTemplate"]["spec"]
    assert (run["activeDeadlineSeconds"], run["backoffLimit"]) == (50, 2)
    assert pod(job)["restartPolicy"] == "Never"
    assert run["activeDeadlineSeconds"] + pod(job)["terminationGracePeriodSeconds"] < 60


def test_a_run_has_no_rights_but_to_do_its_work(job: CronJob) -> None:
    assert pod(job)["automountServiceAccountToken"] is False
    assert pod(job)["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 10001,
        "runAsGroup": 10001,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container(job)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container(job)["resources"] == {
        "requests": {"cpu": "100m", "memory": "160Mi"},
        "limits": {"memory": "320Mi"},
    }


def test_the_only_folder_that_a_run_may_write_holds_its_counts(job: CronJob) -> None:
    (mount,) = container(job)["volumeMounts"]
    (volume,) = pod(job)["volumes"]
    assert (volume["name"], set(volume) - {"name"}) == (mount["name"], {"emptyDir"})
    environment = {entry["name"]: entry["value"] for entry in container(job)["env"]}
    assert environment["PROMETHEUS_MULTIPROC_DIR"].startswith(mount["mountPath"] + "/")


def test_a_run_gets_its_settings_from_the_secret_and_none_by_accident(job: CronJob) -> None:
    """Kubernetes names variables after Services, METRICS_PORT for one of the name "metrics"."""
    assert container(job)["envFrom"] == [{"secretRef": {"name": "boxoffice"}}]
    assert pod(job)["enableServiceLinks"] is False
    comment = " ".join(line for line in text_of(job).splitlines() if line.startswith("#"))
    assert [variable.name for variable in VARIABLES if variable.required and variable.name not in comment] == []


def test_the_command_of_a_run_exists(job: CronJob) -> None:
    assert container(job)["command"] == ["python", "manage.py", job.command]
    assert job.command in get_commands()
