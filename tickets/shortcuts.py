"""Ways round two detours of the renderer, which cost a tenth of a ticket and a sixth of one with emoji.

A page of WeasyPrint always lays out its sixteen margin boxes, which tickets leave empty; and emptying a font of emoji
looks the same module up again for each of its glyphs. Both are inside the libraries: where a later version has no such
function, nothing is replaced. The file is the same to the byte either way, which a test sees to.

And one thing held still: a font of emoji would carry the second in which it was emptied. Two attempts at the same file
give the same bytes, since a mail that is sent once more under its key must be the same mail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from fontTools.ttLib import ttFont  # type: ignore[import-untyped]
from fontTools.ttLib.tables import _h_e_a_d as head_table  # type: ignore[import-untyped]
from weasyprint import layout

_table_module = cache(getattr(ttFont, "getTableModule", None) or (lambda _tag: None))


def _no_margin_boxes(*_arguments: object) -> tuple[()]:
    return ()


_REPLACED: tuple[tuple[Any, str, Callable[..., Any]], ...] = (
    (layout, "make_margin_boxes", _no_margin_boxes),
    (ttFont, "getTableModule", _table_module),
)
_HELD_STILL: tuple[tuple[Any, str, Callable[..., Any]], ...] = ((head_table, "timestampNow", lambda: 0),)


@contextmanager
def shortcuts() -> Iterator[None]:
    """Takes them inside the block. One block at a time in a process."""
    replaced = [place for place in (*_REPLACED, *_HELD_STILL) if hasattr(*place[:2])]
    before = [(module, name, getattr(module, name)) for module, name, _ours in replaced]
    try:
        for module, name, ours in replaced:
            setattr(module, name, ours)
        yield
    finally:
        for module, name, theirs in before:
            setattr(module, name, theirs)
