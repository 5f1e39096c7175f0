"""The reader's current day, for prompts: without it a model does not know what “today” or “next week” is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from zoneinfo import ZoneInfo

from footnote.prompts import Prompts
from footnote.text.calendar_names import CALENDAR_NAMES
from footnote.types import Turn

FORMS: Mapping[str, str] = {"en": "{day} {month} {year}", "de": "{day}. {month} {year}", "ko": "{year}년 {month} {day}일"}
"""A date in words."""


def today(turn: Turn, prompts: Prompts) -> str:
    """The day and the time zone in a sentence, for the last message of a prompt: the earlier ones do not change with the day."""
    moment = turn.began
    lang = turn.lang if turn.lang in FORMS else "en"
    return prompts.render("today", turn.lang, {**_in_words(moment.date(), lang), "zone": zone_name(moment)}, turn.plan.prompts)


def zone_name(moment: datetime) -> str:
    """`Europe/Berlin` where the zone has such a name, else its abbreviation."""
    return moment.tzinfo.key if isinstance(moment.tzinfo, ZoneInfo) else moment.tzname() or "UTC"


def _in_words(day: date, lang: str) -> dict[str, str]:
    names = CALENDAR_NAMES[lang]
    return {
        "weekday": names.days[day.weekday()],
        "day": FORMS[lang].format(day=day.day, month=names.months[day.month - 1], year=day.year),
        "date": day.isoformat(),
    }
