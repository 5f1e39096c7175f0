"""The values that a text states, in a comparable form: 5, 5,00 and five are one, and so are 22 Uhr, 22:00 and 10 pm, 3.11. and 3 November.

"1234.5"     a number: without grouping, with a decimal point
"t10:30"     a time of day, of twelve hours: the half of the day is seldom written
"d03-11"     a day of the year, the smaller number first: in 3/11 the order of day and month is seldom clear"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from footnote.text.calendar_names import CALENDAR_NAMES
from footnote.text.compatible import with_powers
from footnote.text.particulars import NUMBER_WORDS

_MONTHS = {
    name.lower(): number
    for names in CALENDAR_NAMES.values()
    for months in (names.months, names.short_months)
    for number, name in enumerate(months, start=1)
}
_MONTH = "|".join(sorted((re.escape(name) for name in _MONTHS if not name[0].isdigit()), key=len, reverse=True))
POWERS = {"천": 1e3, "만": 1e4, "억": 1e8, "thousand": 1e3, "tausend": 1e3, "milliar": 1e9, "mil": 1e6, "mio": 1e6, "mrd": 1e9, "bil": 1e9}
"""By the beginning of the word."""
_DAY, _OF_YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
VALUE = re.compile(
    rf"""(?<![\w.,:/])(?:
      (?P<iso>\d{{4}}-\d\d-\d\d)(?!\d)
    | (?P<day>{_DAY})\.\s?(?P<month>{_OF_YEAR})\.(?!\d{{1,2}}(?!\d))\s?(?P<year>\d{{4}}\b)?
    | (?P<slash>\d{{1,2}})/(?P<slash2>\d{{1,2}})(?:/(?P<year2>\d{{4}}|\d\d))?(?![\d/])
    | (?P<code>\d+(?:\.\d+){{2,}})
    | (?P<day2>\d{{1,2}})(?:\.|st|nd|rd|th)?\s(?:of\s)?(?P<named>{_MONTH})\b
    | (?P<komonth>\d{{1,2}})월\s?(?P<koday>\d{{1,2}})일
    | (?P<kohour>\d{{1,2}})시(?!간)(?:\s?(?P<kominute>\d{{1,2}})분)?
    | (?P<hour>\d{{1,2}})(?:[:.](?P<minute>\d\d))?\s?(?:[ap]\.?m\b|Uhr\b)
    | (?P<hour2>\d{{1,2}})[:h](?P<minute2>\d\d)(?![\d:])
    | (?P<sum>(?:\d+(?:[.,]\d+)*\s?[천만억]\s?)+(?:\d+(?![\d.,]))?)
    | (?P<number>\d{{1,3}}(?:[.,’' ]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?)
      (?:\s(?P<power>thousand|tausend|milliar|mill?i?[oó]n|mio|mrd|billion))?
    )
    | \b(?P<named2>{_MONTH})\.?\s(?P<day3>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.,]?\d)
    | (?P<word>[^\W\d_]+)""",
    re.VERBOSE | re.IGNORECASE,
)
"""The forms of a value, the first that fits; in words, those that a language spells out."""
PART = re.compile(r"(\d+(?:[.,]\d+)*)\s?([천만억]?)")
DIGIT, LETTERS = re.compile(r"\d"), re.compile(r"[^\W\d_]+")
GROUPED = re.compile(r"\d{1,3}(?:[.,’' ]\d{3})+")
COMMON = frozenset(("1", "100", "1000"))
"""Numbers that are too common to be significant."""


@lru_cache(maxsize=1024)
def values_in(text: str, lang: str) -> frozenset[str]:
    """The values of a text, in figures or spelled out."""
    return frozenset(_values(text, lang, spelled=True))


@lru_cache(maxsize=1024)
def figures_in(text: str, lang: str) -> frozenset[str]:
    """Values written in figures."""
    return frozenset(_values(text, lang, spelled=False))


def missing_values(values: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The values that are not among the others. “From 9 to 17” means hours, “until the 27th” a day: a bare number is present if a time or a
    date has it, and a date if both of its numbers are."""
    missing = values - others
    if not missing:
        return missing
    parts = others.union(*(_parts(other) for other in others))
    return frozenset(value for value in missing if not _is_there(value, parts))


def _is_there(value: str, parts: frozenset[str]) -> bool:
    """Whether the numbers of a value are among `parts`: both of a date, one of a time."""
    mine = _parts(value)
    return mine <= parts if value[0] == "d" else not mine.isdisjoint(parts)


def _parts(value: str) -> set[str]:
    """The numbers of a date, the hour of a full hour; a number itself."""
    if value[0] == "d":
        return {str(int(value[1:3])), str(int(value[4:]))}
    if value[0] == "t":
        return {value[1:-3], str(int(value[1:-3]) + 12)} if value.endswith(":00") else {value}
    return {value}


def _values(text: str, lang: str, *, spelled: bool) -> Iterator[str]:
    words = NUMBER_WORDS.get(lang, {}) if spelled else {}
    if not DIGIT.search(text):  # most sentences; every other form of a value has a digit
        yield from (digits for word in (LETTERS.findall(text) if words else ()) if (digits := words.get(word.lower(), "")).isdigit())
        return
    for match in VALUE.finditer(with_powers(text)):
        if match.lastgroup == "word":
            if (digits := words.get(match[0].lower(), "")).isdigit():
                yield digits
            continue
        said = {name: value for name, value in match.groupdict().items() if value}
        if iso := said.get("iso"):
            yield iso[:4]
            yield _day(iso[5:7], iso[8:])
        elif day := said.get("day") or said.get("slash") or said.get("koday") or said.get("day2") or said.get("day3"):
            month = said.get("month") or said.get("slash2") or said.get("komonth") or _MONTHS[(said.get("named") or said["named2"]).lower()]
            yield _day(day, month)
            if year := said.get("year") or said.get("year2"):
                yield f"20{year}"[-4:]
        elif (code := said.get("code")) and not GROUPED.fullmatch(code):
            yield code
        elif hour := said.get("hour") or said.get("hour2") or said.get("kohour"):
            minute = said.get("minute") or said.get("minute2") or said.get("kominute") or 0
            yield f"t{int(hour) % 12}:{int(minute):02}"
        elif several := said.get("sum"):
            yield f"{sum(float(_number(number)) * POWERS.get(unit, 1.0) for number, unit in PART.findall(several)):.15g}"
        else:
            number, power = _number(said.get("number") or said["code"]), said.get("power", "").lower()
            yield f"{float(number) * _power(power, POWERS):.15g}" if power else number


def _power(word: str, powers: Mapping[str, float]) -> float:
    return next(power for beginning, power in powers.items() if word.startswith(beginning))


def _day(one: str | int, other: str | int) -> str:
    first, second = sorted((int(one), int(other)))
    return f"d{first:02}-{second:02}"


def _number(written: str) -> str:
    """The number in its shortest form."""
    if GROUPED.fullmatch(written):
        return str(int(re.sub(r"\D", "", written)))
    whole, _, rest = written.replace(",", ".").rpartition(".")
    if not whole:
        return str(int(written))
    rest = rest.rstrip("0")
    whole = str(int(re.sub(r"\D", "", whole)))
    return f"{whole}.{rest}" if rest else whole
