"""Shows a spreadsheet's dates and times as Excel does: `45292` with `dd.mm.yyyy` is `01.01.2024`.

Years have four digits, so that they are found. Where the text would not tell day from month (3/4/2024), which Excel also shows
otherwise in each country, and in a language whose names are not known here, the date is ISO 8601 (2024-03-04).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from footnote.text.calendar_names import CALENDAR_NAMES, ENGLISH, GERMAN, KOREAN, CalendarNames

Token = tuple[str, str]
"""(kind, text): `text` as it is, `date`, `elapsed`, `digit`, `sign`, `power`, `general`."""
DATE_PARTS = r"AM/PM|A/P|y+|m+|d+|h+|s+|e+(?![+-])|g+|b+"
"""The parts of a date in a format, as a pattern."""

_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_LAST_DAY = 2_958_465  # 9999-12-31
_LEAP_DAY = 60  # in Excel 1900 has a 29th of February


_LANGUAGES = {0x09: ENGLISH, 0x07: GERMAN, 0x12: KOREAN}


def has_date(tokens: Sequence[Token]) -> bool:
    """Whether a format shows a date or a time; its only digits are those of parts of a second."""
    is_date = any(kind == "elapsed" or (kind == "date" and text[0].lower() in "ymdhs") for kind, text in tokens)
    before = [("", ""), *tokens]
    return is_date and all(kind != "digit" or before[i][0] == "digit" or before[i] == ("sign", ".") for i, (kind, _) in enumerate(tokens))


class _Layout(NamedTuple):
    parts: tuple[str, ...]
    names: CalendarNames | None
    iso: tuple[int, ...]
    """The tokens in whose place the date is ISO 8601."""
    decimals: int
    """Of a second."""
    has_noon: bool
    is_elapsed: bool


@lru_cache(maxsize=512)
def _lay_out(tokens: tuple[Token, ...], locale: str) -> _Layout:
    parts = tuple(_part(tokens, i) for i in range(len(tokens)))
    names = _names(locale)
    kinds = [kind for kind, _ in tokens]
    return _Layout(parts, names, _iso_places(tokens, parts, names), kinds.count("digit"), "am/pm" in parts, "elapsed" in kinds)


@lru_cache(maxsize=4096)
def show_date(tokens: tuple[Token, ...], value: float, locale: str, since_1904: bool) -> str | None:
    """The date or time; None if the number is none. `locale`: the language of names, as in `[$-407]`."""
    parts, names, iso, decimals, has_noon, is_elapsed = _lay_out(tokens, locale)
    if not (-_LAST_DAY if is_elapsed else 0) <= value <= _LAST_DAY:
        return None
    seconds = round(abs(value) * 86_400, min(decimals, 6))
    days = int(not since_1904 and 1 <= value < _LEAP_DAY)
    moment = (_EPOCH_1904 if since_1904 else _EPOCH) + timedelta(days=days, seconds=seconds)
    shown = ["-" if value < 0 else ""]
    for i, ((kind, text), part) in enumerate(zip(tokens, parts, strict=True)):
        if iso and iso[0] <= i <= iso[-1]:
            shown.append(moment.date().isoformat()[: _iso_length(parts)] if i == iso[0] else "")
        elif kind == "digit":
            place = sum(each == "digit" for each, _ in tokens[:i])
            shown.append(f"{seconds % 1:.{decimals}f}"[2:][place])
        elif kind == "elapsed":
            total = int(seconds // {"h": 3600, "m": 60, "s": 1}[text[0]])
            shown.append(f"{total:0{len(text)}d}")
        elif kind == "date":
            shown.append(_show_part(part, moment, names or ENGLISH, has_noon))
        else:
            shown.append(text)
    return "".join(shown)


def _names(locale: str) -> CalendarNames | None:
    """The names of this language; English where the format names none, and None for a language that is not known here."""
    code = locale.split(",")[0]
    if not code:
        return ENGLISH
    try:
        number = int(code, 16)
    except ValueError:
        return CALENDAR_NAMES.get(code.split("-")[0])
    return _LANGUAGES.get(number & 0x3FF) if number & 0xFFFF not in (0xF800, 0xF400) else None  # the reader's own format


def _part(tokens: Sequence[Token], i: int) -> str:
    """The part of a date that a token shows: `n` are minutes, `m` months; "" for none."""
    kind, text = tokens[i]
    if kind != "date":
        return text if kind == "elapsed" else ""
    part = text.lower()
    if part in ("am/pm", "a/p"):
        return "am/pm"
    if part in ("m", "mm"):
        dates = [j for j, (each, _) in enumerate(tokens) if each in ("date", "elapsed")]
        place = dates.index(i)
        before = tokens[dates[place - 1]][1].lower() if place else ""
        after = tokens[dates[place + 1]][1].lower() if place + 1 < len(dates) else ""
        if before.startswith("h") or (after.startswith("s") and not before.startswith("d")):
            return part.replace("m", "n")
    return "yyyy" if part[0] in "ye" else part


def _iso_places(tokens: Sequence[Token], parts: Sequence[str], names: CalendarNames | None) -> tuple[int, ...]:
    """The tokens that show a date which is written as ISO 8601; none if it is shown as the format says."""
    dates = [i for i, part in enumerate(parts) if part[:1] in ("y", "m", "d") and (len(part) < 3 or part[0] != "d")]
    if not any(parts[i][0] in "md" for i in dates):
        return ()
    if names is None:
        return tuple(i for i, part in enumerate(parts) if part[:1] in ("y", "m", "d"))
    numeric = {parts[i][0] for i in dates if len(parts[i]) < 3} >= {"m", "d"}
    between = "".join(text for _, text in tokens[dates[0] + 1 : dates[-1]])
    is_clear = parts[dates[0]][0] == "y" or "." in between or "월" in between or "月" in between
    return tuple(dates) if numeric and not is_clear else ()


def _iso_length(parts: Sequence[str]) -> int:
    """Of `2024-03-04`: to the day, or to the month if the format shows no day."""
    return 10 if any(part.startswith("d") for part in parts) else 7


def _show_part(part: str, moment: datetime, names: CalendarNames, has_noon: bool) -> str:
    length = min(len(part), 5)
    if part == "am/pm":
        return names.noon[moment.hour >= 12]
    number = {"m": moment.month, "d": moment.day, "h": moment.hour, "n": moment.minute, "s": moment.second}.get(part[0], 0)
    if part[0] == "h" and has_noon:
        number = number % 12 or 12
    if part[0] == "y":
        return f"{moment.year:04d}"
    if part[0] == "m" and length > 2:
        return {3: names.short_months, 4: names.months}.get(length, tuple(name[0] for name in names.months))[moment.month - 1]
    if part[0] == "d" and length > 2:
        return (names.short_days if length == 3 else names.days)[moment.weekday()]
    return "" if part[0] in "gb" else f"{number:0{min(length, 2)}d}"
