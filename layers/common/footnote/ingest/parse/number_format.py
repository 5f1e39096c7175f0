"""Formats a spreadsheet's numbers as displayed: `45292` with `dd.mm.yyyy` is `2024-01-01`, `0.5` with `0%` is `50%`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple

# fmt: off
BUILT_IN: dict[int, str] = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 41: "#,##0", 42: "#,##0", 43: "#,##0.00",
    44: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss", 48: "0.0E+0", 49: "@",
    **dict.fromkeys((27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((32, 33, 34, 35, 55, 56), "h:mm:ss"),
}
# fmt: on
"""Built-in formats, which files reference by number; including those of East Asian editions."""

_COLOUR_OR_CONDITION = re.compile(r"\[(?!\$|h+\]|m+\]|s+\])[^\]]*\]", re.IGNORECASE)
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*.')
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_DIGITS = re.compile(r"[0#?](?: ?[0#?,.])*")
_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_LAST_DAY = 2_958_465  # 9999-12-31


class _Format(NamedTuple):
    kind: Literal["general", "date", "elapsed", "number", "text"]
    parts: str = ""
    """For a date: which of `ymdhs` it shows."""
    before: str = ""
    after: str = ""
    decimals: int = 0
    digits: int = 1
    """Minimum number of digits before the decimal point; 0 = zero is displayed as empty."""
    thousands: bool = False
    percent: bool = False


def show(value: float, code: str, *, since_1904: bool = False) -> str:
    """The number as text. Dates are ISO 8601 with the parts that the format shows; separators are English (1,234.50)."""
    section = _section(code, value)
    found = _read(section)
    if found.kind == "date" and 0 <= value <= _LAST_DAY:
        return _date(value, found.parts, since_1904)
    if found.kind == "elapsed" and abs(value) <= _LAST_DAY:
        minutes = round(abs(value) * 1440)
        return f"{'-' if value < 0 else ''}{minutes // 60}:{minutes % 60:02d}"
    if found.kind != "number":
        return _general(value)
    shown = abs(value) if value < 0 and section != _section(code, 1) else value  # a section for negative numbers writes its own sign
    shown *= 100 if found.percent else 1
    width = found.digits + (found.decimals + 1 if found.decimals else 0) + (shown < 0)
    text = f"{shown:{',' if found.thousands else f'0{width}'}.{found.decimals}f}" if shown or found.digits else ""
    return f"{found.before}{text}{found.after}".strip()


def _general(value: float) -> str:
    """At most eleven digits, as in Excel: neither `0.30000000000000004` nor `3.0`."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.11g}"


def _section(code: str, value: float) -> str:
    """The section of a format for this value: a format may have one for positive, negative and zero."""
    sections = _split(code)
    index = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0
    return sections[index]


@lru_cache(maxsize=512)
def _split(code: str) -> list[str]:
    sections, quoted = [""], False
    for sign in code:
        quoted = quoted != (sign == '"')
        if sign == ";" and not quoted:
            sections.append("")
        else:
            sections[-1] += sign
    return sections


@lru_cache(maxsize=512)
def _read(section: str) -> _Format:
    plain = _COLOUR_OR_CONDITION.sub("", section)
    bare = _LITERAL.sub("", _CURRENCY.sub("", plain))
    if not bare.strip() and '"' in plain:
        return _Format("number", before=_written(plain), digits=0)
    if not bare.strip() or bare.strip().lower() in ("general", "standard") or re.search(r"E[+-]|\?.*/", bare):
        return _Format("general")
    if "@" in bare:
        return _Format("text")
    if _ELAPSED.search(bare):
        return _Format("elapsed")
    if parts := _date_parts(bare):
        return _Format("date", parts)
    literal = _written(plain)
    digits, found = _DIGITS.search(bare), _DIGITS.search(literal)
    if digits is None or found is None:
        return _Format("general")
    whole, _, fraction = digits[0].partition(".")
    decimals = min(sum(sign in "0#?" for sign in fraction), 15)
    minimum = min(whole.count("0") or bool(decimals), 15)
    thousands = "," in whole.strip(",") or " " in whole
    return _Format("number", "", literal[: found.start()], literal[found.end() :], decimals, minimum, thousands, "%" in bare)


def _written(section: str) -> str:
    """The section with quoted text and currencies as displayed."""
    return _LITERAL.sub(lambda match: match[1] or match[2] or "", _CURRENCY.sub(r'"\1"', section))


def _date_parts(bare: str) -> str:
    """The date parts shown; "" if the format is not a date. `m` is a month unless it is next to hours or seconds."""
    words = re.findall(r"[a-z]+", re.sub(r"am/pm|a/p", "", bare.lower()))
    words = [word for word in words if word[0] in "ymdhseg"]
    parts = ""
    for i, word in enumerate(words):
        before, after = words[i - 1] if i else "", words[i + 1] if i + 1 < len(words) else ""
        is_minute = word in ("m", "mm") and (before.startswith("h") or after.startswith("s"))
        parts += "n" if is_minute else "y" if word[0] in "eg" else word[0]
    return parts


def _date(value: float, parts: str, since_1904: bool) -> str:
    moment = (_EPOCH_1904 if since_1904 else _EPOCH) + timedelta(seconds=round(value * 86_400))
    time = f"{moment:%H:%M:%S}" if "s" in parts else f"{moment:%H:%M}" if set(parts) & set("hn") else ""
    if not set(parts) & set("ymd"):
        return time
    day = moment.date().isoformat()[: 10 if "d" in parts else 7 if "m" in parts else 4]
    return f"{day} {time}".strip()
