"""Which language's forms the East Asian letters of a text are drawn in.

Chinese, Japanese and Korean share code points and not shapes: 骨, 直 and 海 look wrong to a reader in Tokyo when they
are drawn as in Beijing. The text itself tells when it can, then whoever wrote or shows it.
"""

from __future__ import annotations

import re

SIMPLIFIED, TRADITIONAL, HONG_KONG, JAPANESE, KOREAN = "zh-Hans", "zh-Hant", "zh-HK", "ja", "ko"

_IDEOGRAPH = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]"
)
_TELLING = (
    (JAPANESE, re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\uff66-\uff9f]")),
    (KOREAN, re.compile("[\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff]")),
    (TRADITIONAL, re.compile("[\u3105-\u312f\u31a0-\u31bf]")),
)
# What each country's own character set holds: a simplified 红 is in the first alone, a traditional 龍 not in it, a
# Japanese 働 in the last alone.
_CHARACTER_SETS = ((SIMPLIFIED, "gb2312"), (TRADITIONAL, "big5"), (JAPANESE, "shift_jis"))

_BY_ZONE = {
    "Asia/Tokyo": JAPANESE,
    "Japan": JAPANESE,
    "Asia/Seoul": KOREAN,
    "Asia/Pyongyang": KOREAN,
    "ROK": KOREAN,
    "Asia/Taipei": TRADITIONAL,
    "ROC": TRADITIONAL,
    "Asia/Hong_Kong": HONG_KONG,
    "Hongkong": HONG_KONG,
    "Asia/Macau": HONG_KONG,
    "Asia/Shanghai": SIMPLIFIED,
    "Asia/Chongqing": SIMPLIFIED,
    "Asia/Urumqi": SIMPLIFIED,
    "PRC": SIMPLIFIED,
    "Asia/Singapore": SIMPLIFIED,
    "Singapore": SIMPLIFIED,
}
_BY_TAG = (
    (HONG_KONG, ("zh-hk", "zh-mo", "zh-hant-hk", "zh-hant-mo")),
    (TRADITIONAL, ("zh-tw", "zh-hant")),
    (SIMPLIFIED, ("zh",)),
    (JAPANESE, ("ja",)),
    (KOREAN, ("ko",)),
)


def east_asian_language(text: str, *, expected: str = "") -> str:
    """The language whose forms the text is drawn in, as a tag such as ``ja``; "" when it has no East Asian letters.

    expected: what ``expected_language`` found for whom it is printed. It settles what the text leaves open.
    """
    if text.isascii():
        return ""
    for language, letters in _TELLING:
        if letters.search(text):
            return language
    ideographs = "".join(_IDEOGRAPH.findall(text))
    if not ideographs:
        return ""
    possible = [language for language, charset in _CHARACTER_SETS if _holds(charset, ideographs)]
    if expected and (not possible or expected in possible or expected in {KOREAN, HONG_KONG}):
        return expected
    return possible[0] if possible else SIMPLIFIED


def expected_language(*, language: str, zone: str) -> str:
    """What the order's language or else the venue's time zone lets expect; "" when neither is East Asian."""
    tag = language.lower().replace("_", "-")
    for known, prefixes in _BY_TAG:
        if any(tag == prefix or tag.startswith(f"{prefix}-") for prefix in prefixes):
            return known
    return _BY_ZONE.get(zone, "")


def _holds(charset: str, text: str) -> bool:
    try:
        text.encode(charset)
    except UnicodeEncodeError:
        return False
    return True
