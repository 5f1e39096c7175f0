"""The reader's day, as prompts tell it: without it a model cannot say what is due “today” or “next week”."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from footnote.prompts import Prompts
from footnote.types import Turn

WEEKDAYS: Mapping[str, Sequence[str]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    "ko": ("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"),
}
MONTHS: Mapping[str, Sequence[str]] = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "ko": [f"{month}월" for month in range(1, 13)],
}
FORMS: Mapping[str, str] = {"en": "{day} {month} {year}", "de": "{day}. {month} {year}", "ko": "{year}년 {month} {day}일"}
"""A date in words."""


def today(turn: Turn, prompts: Prompts) -> str:
    """The day and the time zone in a sentence, for the last message of a prompt: what stands before it does not change with the day."""
    moment = turn.began
    lang = turn.lang if turn.lang in WEEKDAYS else "en"
    return prompts.render("today", turn.lang, {**_in_words(moment.date(), lang), "zone": zone_name(moment)}, turn.plan.prompts)


def zone_name(moment: datetime) -> str:
    """`Europe/Berlin` where the zone has such a name, else its abbreviation."""
    return moment.tzinfo.key if isinstance(moment.tzinfo, ZoneInfo) else moment.tzname() or "UTC"


def _in_words(day: date, lang: str) -> dict[str, str]:
    month = MONTHS[lang][day.month - 1]
    return {
        "weekday": WEEKDAYS[lang][day.weekday()],
        "day": FORMS[lang].format(day=day.day, month=month, year=day.year),
        "date": day.isoformat(),
    }
