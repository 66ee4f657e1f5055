"""Fixtures for all tests; each app keeps its own in ``fixtures_<app>.py``."""

from pathlib import Path

pytest_plugins = [f"tests.{path.stem}" for path in sorted(Path(__file__).parent.glob("fixtures_*.py"))] + [
    f"tests.{path.stem}" for path in sorted(Path(__file__).parent.glob("plugin_*.py"))
]
