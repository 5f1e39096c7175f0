"""The names of months and days, as dates in words have them, by language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class CalendarNames(NamedTuple):
    """Of one language: January first, Monday first. `noon`: before and after it."""

    months: tuple[str, ...]
    short_months: tuple[str, ...]
    days: tuple[str, ...]
    short_days: tuple[str, ...]
    noon: tuple[str, str]


ENGLISH = CalendarNames(
    tuple("January February March April May June July August September October November December".split()),
    tuple("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()),
    tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()),
    tuple("Mon Tue Wed Thu Fri Sat Sun".split()),
    ("AM", "PM"),
)
GERMAN = CalendarNames(
    tuple("Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()),
    tuple("Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez".split()),
    tuple("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split()),
    tuple("Mo Di Mi Do Fr Sa So".split()),
    ("AM", "PM"),
)
_MONTHS = tuple(f"{month}월" for month in range(1, 13))
KOREAN = CalendarNames(_MONTHS, _MONTHS, tuple(f"{day}요일" for day in "월화수목금토일"), tuple("월화수목금토일"), ("오전", "오후"))

CALENDAR_NAMES: Mapping[str, CalendarNames] = {"en": ENGLISH, "de": GERMAN, "ko": KOREAN}
