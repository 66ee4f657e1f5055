"""The scripts that names and titles come in beyond our own font, and the Debian package that draws each of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Script:
    """A script by its name, letters that a font for it must have, and the package with that font."""

    name: str
    letters: str
    package: str


SCRIPTS = (
    Script("Arabic", "ابتيپگ", "fonts-noto-core"),
    Script("Hebrew", "אבתם", "fonts-noto-core"),
    Script("Thai", "กขทธ", "fonts-noto-core"),
    Script("Devanagari", "अकहल", "fonts-noto-core"),
    Script("Georgian", "აბგჰ", "fonts-noto-core"),
    Script("Armenian", "աբգդ", "fonts-noto-core"),
    Script("Chinese", "红龍骨直中", "fonts-noto-cjk"),
    Script("Japanese", "あアー畑働", "fonts-noto-cjk"),
    Script("Korean", "가한글힣", "fonts-noto-cjk"),
    Script("emoji", "😀🎭🦄🥹", "fonts-noto-color-emoji"),
)
