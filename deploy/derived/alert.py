"""One rule of Prometheus's."""

from __future__ import annotations

import json
from dataclasses import dataclass

LEDGER_AWAY = "jobs_ledger_up == 0"


@dataclass(frozen=True)
class Alert:
    """One rule. severity: ``page`` wakes somebody, ``ticket`` waits for the morning, ``info`` stands on a page."""

    name: str
    when: str
    lasting: str
    severity: str
    summary: str
    look_at: str

    def render(self) -> str:
        """The rule as YAML; JSON's strings are YAML's."""
        return (
            f"      - alert: {self.name}\n"
            f"        expr: {json.dumps(self.when)}\n"
            f"        for: {self.lasting}\n"
            f"        labels:\n          severity: {self.severity}\n"
            f"        annotations:\n"
            f"          summary: {json.dumps(self.summary)}\n"
            f"          description: {json.dumps(self.look_at)}\n"
        )
