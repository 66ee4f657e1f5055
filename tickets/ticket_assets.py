"""The files that the renderer may read, by the addresses that its style sheet and template give them."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "assets"
FONTS = FOLDER / "fonts"
STYLESHEET = FOLDER / "ticket.css"
WIDEST_FONT = "brygada-1918-bold.ttf"
ASSETS = {f"asset:fonts/{name}": FONTS / name for name in ("brygada-1918-medium.ttf", WIDEST_FONT)}
