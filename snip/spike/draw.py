"""A run as a drawing for a terminal, in characters, and as SVG; measured beside reckoned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from snip.spike.arithmetic import Sample

BLOCKS = " ▁▂▃▄▅▆▇█"
WIDTH, HEIGHT = 60, 8

Curve = Callable[[float], float]
"""What is reckoned at a second of the run."""


def backlog_curve(*, began: float, ended: float, backlog: float, drained_after: float) -> Curve:
    """The reckoned backlog: it grows evenly while the spike lasts, and shrinks evenly after it."""

    def at(second: float) -> float:
        if second <= ended:
            return backlog * max(0.0, second - began) / max(ended - began, 1e-9)
        return backlog * max(0.0, 1 - (second - ended) / max(drained_after, 1e-9))

    return at


def chart(samples: Sequence[Sample], reckoned: Curve, *, width: int = WIDTH, height: int = HEIGHT) -> Iterator[str]:
    """Lines of the waiting clicks over time: blocks are measured, dots and rings are reckoned."""
    columns = [_at(samples, second) for second in _seconds(samples, width)]
    dots = [reckoned(second) for second in _seconds(samples, width)]
    top = max([*columns, *dots, 1.0])
    levels = [round(value / top * height * 8) for value in columns]
    rows = [min(int(value / top * height), height - 1) if value > 0 else -1 for value in dots]
    for row in reversed(range(height)):
        cells = (
            "·○"[level > row * 8] if dot == row else BLOCKS[min(max(level - row * 8, 0), 8)]
            for level, dot in zip(levels, rows, strict=True)
        )
        label = f"{top * (row + 1) / height:>12,.0f} " if row in (height - 1, height // 2 - 1) else " " * 13
        yield f"{label}│{''.join(cells)}".rstrip()
    yield f"{'0':>12} └{'─' * width}"
    yield f"{'':14}0 s{f'{samples[-1].at:,.0f} s':>{width - 3}}"


def sparkline(values: Sequence[float], *, width: int = WIDTH) -> str:
    """One line: the largest of the values is a full block."""
    picked = [values[round(each * (len(values) - 1) / max(width - 1, 1))] for each in range(width)]
    top = max([*picked, 1e-9])
    return "".join(BLOCKS[round(value / top * 8)] for value in picked)


def svg(samples: Sequence[Sample], reckoned: Curve) -> str:
    """The same as an SVG image of 640 by 320."""
    end = max(samples[-1].at, 1e-9)
    top = max([*(float(each.waiting) for each in samples), *(reckoned(each.at) for each in samples), 1.0])

    def line(points: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{60 + 560 * at / end:.1f},{280 - 250 * value / top:.1f}" for at, value in points)

    measured = line([(each.at, each.waiting) for each in samples])
    expected = line([(each.at, reckoned(each.at)) for each in samples])
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" font-family="sans-serif" font-size="12">
<title>Clicks that wait, measured and reckoned</title>
<rect width="640" height="320" fill="#fff"/>
<path d="M60 30V280H620" fill="none" stroke="#555"/>
<polyline points="{expected}" fill="none" stroke="#777" stroke-width="1.5" stroke-dasharray="4 4"/>
<polyline points="{measured}" fill="none" stroke="#0b57d0" stroke-width="2"/>
<text x="54" y="34" text-anchor="end">{top:,.0f}</text>
<text x="54" y="284" text-anchor="end">0</text>
<text x="620" y="300" text-anchor="end">{end:,.0f} s</text>
<text x="66" y="20" fill="#0b57d0">measured</text>
<text x="130" y="20" fill="#555">reckoned (dashed)</text>
</svg>
"""


def _seconds(samples: Sequence[Sample], width: int) -> list[float]:
    first, last = samples[0].at, samples[-1].at
    return [first + (last - first) * each / max(width - 1, 1) for each in range(width)]


def _at(samples: Sequence[Sample], second: float) -> float:
    """Clicks that waited then, evenly between two samples."""
    for before, after in pairwise(samples):
        if second <= after.at:
            part = (second - before.at) / max(after.at - before.at, 1e-9)
            return before.waiting + (after.waiting - before.waiting) * max(0.0, part)
    return float(samples[-1].waiting)
