"""Which scripts the fonts of this machine can draw, as fontconfig knows it: the library that Pango asks, too."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from functools import cache

from tickets.scripts import SCRIPTS, Script

LIBRARY = "libfontconfig.so.1"


class _FontSet(ctypes.Structure):
    _fields_ = (("count", ctypes.c_int), ("size", ctypes.c_int), ("fonts", ctypes.c_void_p))


@cache
def scripts_without_font() -> tuple[Script, ...]:
    """The scripts for which no installed font has the letters; all of them where there is no fontconfig.

    Asked once in a process: fonts that are installed later serve the next one. Some 20 ms.
    """
    try:
        fontconfig = _fontconfig()
    except OSError:
        return SCRIPTS
    return tuple(script for script in SCRIPTS if not _some_font_has(fontconfig, script.letters))


def packages_for(scripts: Iterable[Script]) -> tuple[str, ...]:
    """The Debian packages that draw these scripts, each once."""
    return tuple(dict.fromkeys(script.package for script in scripts))


def _fontconfig() -> ctypes.CDLL:
    library = ctypes.CDLL(LIBRARY)
    pointer = ctypes.c_void_p
    for name, result, arguments in (
        ("FcPatternCreate", pointer, ()),
        ("FcPatternDestroy", None, (pointer,)),
        ("FcCharSetCreate", pointer, ()),
        ("FcCharSetDestroy", None, (pointer,)),
        ("FcCharSetAddChar", ctypes.c_int, (pointer, ctypes.c_uint32)),
        ("FcPatternAddCharSet", ctypes.c_int, (pointer, ctypes.c_char_p, pointer)),
        ("FcObjectSetCreate", pointer, ()),
        ("FcObjectSetDestroy", None, (pointer,)),
        ("FcFontList", ctypes.POINTER(_FontSet), (pointer, pointer, pointer)),
        ("FcFontSetDestroy", None, (ctypes.POINTER(_FontSet),)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _some_font_has(fontconfig: ctypes.CDLL, letters: str) -> bool:
    """Whether one font has all the letters."""
    pattern, charset, wanted = (
        fontconfig.FcPatternCreate(),
        fontconfig.FcCharSetCreate(),
        fontconfig.FcObjectSetCreate(),
    )
    for letter in letters:
        fontconfig.FcCharSetAddChar(charset, ord(letter))
    fontconfig.FcPatternAddCharSet(pattern, b"charset", charset)
    found = fontconfig.FcFontList(None, pattern, wanted)
    try:
        return bool(found) and found.contents.count > 0
    finally:
        if found:
            fontconfig.FcFontSetDestroy(found)
        fontconfig.FcObjectSetDestroy(wanted)
        fontconfig.FcCharSetDestroy(charset)
        fontconfig.FcPatternDestroy(pattern)
