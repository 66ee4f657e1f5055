"""Whether a label of a host name could be taken for another one: letters of several alphabets, or lookalikes. Pure.

Stricter than browsers, which show such names as Punycode where we refuse them: a name in an alphabet that people read
passes, a name that is made to be misread does not.
"""

from __future__ import annotations

import unicodedata

TOGETHER = (
    frozenset({"CJK", "HIRAGANA", "KATAKANA", "LATIN"}),
    frozenset({"CJK", "HANGUL", "LATIN"}),
    frozenset({"CJK", "BOPOMOFO", "LATIN"}),
)
"""Alphabets that one label may mix, as Japanese, Korean and Chinese do. Any other label has one alphabet only."""

# As Chromium lists them: letters that look like Latin ones in common fonts. A label of nothing else is a trap, except
# under a top-level domain of its alphabet.
LOOKS_LATIN = {
    "CYRILLIC": frozenset("асԁеһіјӏорԛѕԝхуъьҽпгѵѡ"),
    "GREEK": frozenset("αικνρυωηοτ"),
    "ARMENIAN": frozenset("ագզէլհյոսւօ"),
}

HOMES = {
    "CYRILLIC": {"bg", "by", "kg", "kz", "mk", "mn", "rs", "ru", "su", "ua", "uz"},
    "GREEK": {"gr"},
    "ARMENIAN": {"am"},
}
"""Where people read that alphabet, beside the top-level domains that are written in one."""

LATIN_END = 0x024F
"""The last Latin letter that a language of today writes with, but for Vietnamese. Beyond are phonetic lookalikes."""

VIETNAMESE = range(0x1EA0, 0x1EFA)

NAMED_OTHERWISE = {"IDEOGRAPHIC": "CJK", "KATAKANA-HIRAGANA": "KATAKANA"}


def looks_like_another(label: str, *, top: str) -> bool:
    """Whether ``label``, in Unicode, may be taken for another one under the top-level domain ``top`` (ASCII)."""
    letters = [letter for letter in label if not (letter.isascii() and not letter.isalpha())]
    scripts = {_script(letter) for letter in letters}
    if len(scripts) > 1 and not any(scripts <= allowed for allowed in TOGETHER):
        return True
    if any(scripts == {script} and set(letters) <= traps for script, traps in LOOKS_LATIN.items()):
        (script,) = scripts
        if not top.startswith("xn--") and top not in HOMES[script]:
            return True
    return any(_is_odd(letter, top) for letter in label)


def _script(letter: str) -> str:
    """The first word of the letter's name is its alphabet. A mark belongs to what it stands on, which is not looked at:
    composed letters need none."""
    word = unicodedata.name(letter, "NONE").split()[0]
    return NAMED_OTHERWISE.get(word, word)


def _is_odd(letter: str, top: str) -> bool:
    if letter.isascii():
        return False
    if _script(letter) in ("LATIN", "COMBINING"):
        code = ord(letter)
        dotless = letter == "ı" and top not in ("tr", "az")
        return dotless or not (code <= LATIN_END or code in VIETNAMESE)
    return unicodedata.category(letter) in ("Cf", "Sk", "Lm") and letter not in "ー々〻ゝゞヽヾ"
