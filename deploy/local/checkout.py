"""Where things lie: the checkout, its ``.local`` folder, and the instances in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Instance:
    """One set of services and data: ``demo``, ``test``, ``smoke``, or what a developer names."""

    name: str
    root: Path = ROOT

    @property
    def local(self) -> Path:
        """What all instances of the checkout share: secrets."""
        return self.root / ".local"

    @property
    def folder(self) -> Path:
        return self.local / self.name

    def create(self) -> None:
        """Make the folders. They may be read by others; what is secret in them has a mode of its own."""
        self.folder.mkdir(parents=True, exist_ok=True)
