"""Kubernetes CronJobs for periodic work that is also a plain command, for a cluster without beat or beside it.

One template serves all: each run is short, safe beside itself and beside beat, and need not be made up for when it
was missed, since the next one does its work. ``docs/locks.md`` compares this with the other ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from config.environment import Variable


@dataclass(frozen=True)
class CronJob:
    """command: of ``manage.py``. schedule: five fields, in UTC. why: ends the sentence "It ..."."""

    command: str
    schedule: str
    why: str

    @property
    def name(self) -> str:
        return self.command.replace("_", "-")


CRON_JOBS = (
    CronJob("release_expired_holds", "* * * * *", "puts the seats of holds whose time has run out back on sale"),
    CronJob("plan_reminders", "*/5 * * * *", "plans the mails that remind of a show"),
    CronJob("plan_sale_openings", "*/10 * * * *", "gives every sale that is still to open its job"),
)

# The deadlines are a chain: what Kubernetes ends after 50 s, and kills 5 s later, is gone before the next minute.
# Python as the first process of a container does not hear SIGTERM: with the usual grace period it would stay for 30 s.
MANIFEST = """\
# Written by python -m deploy.derived from deploy/derived/cronjobs.py.
# It {why}. Safe beside itself and beside beat.
#
# The image is a placeholder for kustomize (images: [{{name: boxoffice, newName: ..., newTag: ...}}]); manage.py lies in
# its working directory. The secret "boxoffice" has these keys, and may have any other of docs/settings.md:
# {required}.
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {name}
spec:
  schedule: "{schedule}"
  timeZone: Etc/UTC
  # Best effort: a pod on a node that is cut off may still run beside its replacement. The database decides.
  concurrencyPolicy: Forbid
  # A run that could not start is left out. Without this, older clusters stop for good after a hundred missed runs.
  startingDeadlineSeconds: 30
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 3
  jobTemplate:
    spec:
      # Gone before the next minute, together with the pod's grace period.
      activeDeadlineSeconds: 50
      backoffLimit: 2
      template:
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 5
          automountServiceAccountToken: false
          # Kubernetes would set METRICS_PORT, for one, beside a Service of the name "metrics".
          enableServiceLinks: false
          securityContext:
            runAsNonRoot: true
            runAsUser: 10001
            runAsGroup: 10001
            seccompProfile:
              type: RuntimeDefault
          containers:
            - name: {name}
              image: boxoffice
              command: [python, manage.py, {command}]
              envFrom:
                - secretRef:
                    name: boxoffice
              env:
                # Nobody scrapes so short a life; its counts go with the pod.
                - name: PROMETHEUS_MULTIPROC_DIR
                  value: /tmp/metrics
                - name: PYTHONDONTWRITEBYTECODE
                  value: "1"
              # Two seconds of CPU to start, which a limit would stretch.
              resources:
                requests:
                  cpu: 100m
                  memory: 160Mi
                limits:
                  memory: 320Mi
              securityContext:
                allowPrivilegeEscalation: false
                readOnlyRootFilesystem: true
                capabilities:
                  drop: [ALL]
              volumeMounts:
                - name: tmp
                  mountPath: /tmp
          volumes:
            - name: tmp
              emptyDir:
                sizeLimit: 32Mi
"""


def render(job: CronJob, *, variables: Sequence[Variable]) -> str:
    """The manifest of one CronJob. variables: all that BoxOffice reads from the environment."""
    return MANIFEST.format(
        name=job.name,
        command=job.command,
        schedule=job.schedule,
        why=job.why,
        required=", ".join(variable.name for variable in variables if variable.required),
    )
