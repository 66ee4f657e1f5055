"""The colours of both schemes can be told from what they stand on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import boxoffice

TOKENS = Path(boxoffice.__file__).parent / "static/boxoffice/css/tokens.css"
TEXT, CONTROL = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11
PAIRS = [
    *[(text, ground, TEXT) for text in ("ink", "muted", "accent", "good", "warn") for ground in ("paper", "sheet")],
    ("paper", "ink", TEXT),
    ("on-accent", "accent-fill", TEXT),
    ("on-accent", "accent-fill-pressed", TEXT),
    ("ink", "warn-sheet", TEXT),
    ("accent", "warn-sheet", TEXT),
    ("ink", "bad-sheet", TEXT),
    ("edge", "paper", CONTROL),
    ("edge", "sheet", CONTROL),
    ("accent-fill", "paper", CONTROL),
    *[(f"tier-{n}-letter", f"tier-{n}", TEXT) for n in range(1, 7)],
    *[(f"tier-{n}-edge", "sheet", CONTROL) for n in range(1, 7)],
]


def schemes() -> dict[str, dict[str, str]]:
    """The colours by their names, in each scheme; the dark one changes what it must."""
    light, dark = TOKENS.read_text().split("@media (prefers-color-scheme: dark)")
    pattern = re.compile(r"--([a-z0-9-]+): #([0-9a-f]{3,6});")
    day = dict(pattern.findall(light))
    return {"light": day, "dark": day | dict(pattern.findall(dark))}


def luminance(color: str) -> float:
    full = color if len(color) == 6 else "".join(2 * digit for digit in color)
    parts = [int(full[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("front", "ground", "least"), PAIRS)
def test_each_pair_has_contrast_enough(scheme: str, front: str, ground: str, least: float) -> None:
    colors = schemes()[scheme]
    lower, higher = sorted((luminance(colors[front]), luminance(colors[ground])))
    assert (higher + 0.05) / (lower + 0.05) >= least
