"""Parses calendars (.ics): each event, task or note under its summary, with its time, place and people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from footnote.errors import UnreadableFile
from footnote.ingest.parse.content_lines import Component, Line, read_components
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.plain import parse_text
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, Parsed

_ENTRIES = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Note"}
"""Component → its heading where it has no summary."""
_TIME = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?)?")
_DURATION = re.compile(r"P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:\d{1,7}S)?)?")
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour"}
_DAYS = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday", "SU": "Sunday"}
_ORDINALS = {"1": "first ", "2": "second ", "3": "third ", "4": "fourth ", "5": "fifth ", "-1": "last "}
_MONTHS = "January February March April May June July August September October November December".split()
_BY_DAY = re.compile(r"(-?\d)?(MO|TU|WE|TH|FR|SA|SU)")


def parse(data: bytes) -> Parsed:
    """Parses a calendar; a file without one is read as plain text."""
    calendars = [component for component in read_components(data) if component.name == "VCALENDAR"]
    if not calendars:
        return parse_text(decode(data))
    blocks = tuple(block for calendar in calendars for entry in calendar.components for block in _entry(entry, _local(calendar)))
    if not blocks:
        raise UnreadableFile("This calendar has no events.", "Check that it was saved completely and add it again.")
    return Parsed(blocks, usable_title(calendars[0].text("X-WR-CALNAME") or calendars[0].text("NAME")))


def _local(calendar: Component) -> tzinfo | None:
    """The zone of the calendar, in which people read what programs wrote in UTC; None = unknown."""
    try:
        return ZoneInfo(calendar.text("X-WR-TIMEZONE"))
    except (ValueError, OSError, KeyError):
        return None


def _entry(entry: Component, local: tzinfo | None) -> Iterator[Block]:
    if entry.name not in _ENTRIES:
        return
    summary = " ".join(entry.text("SUMMARY").split())
    yield Block("heading", summary or _ENTRIES[entry.name], 1)
    facts = [
        ("Status", " ".join(entry.text("STATUS").replace("-", " ").lower().split()) if entry.text("STATUS") != "CONFIRMED" else ""),
        ("When", _when(entry, local)),
        ("Instead of", _times(entry.every("RECURRENCE-ID"), local)),
        ("Due", _times(entry.every("DUE"), local)),
        ("Completed", _times(entry.every("COMPLETED"), local)),
        ("Repeats", "; ".join(_in_words(rule.value) for rule in entry.every("RRULE"))),
        ("Also", _times(entry.every("RDATE"), local)),
        ("Except", _times(entry.every("EXDATE"), local)),
        ("Where", entry.text("LOCATION")),
        ("Organizer", ", ".join(map(_person, entry.every("ORGANIZER")))),
        ("Attendees", ", ".join(map(_person, entry.every("ATTENDEE")))),
        ("Categories", ", ".join(part for line in entry.every("CATEGORIES") for part in line.parts(","))),
        ("Link", entry.text("URL")),
    ]
    if lines := [f"- {name}: {' '.join(value.split())}" for name, value in facts if value]:
        named = [f"- {_ENTRIES[entry.name]}: {summary}"] if summary else []  # so that the record can be told without its heading
        yield Block("list", "\n".join((*named, *lines)))
    for paragraph in re.split(r"\n\s*\n", "\n\n".join(line.text for line in entry.every("DESCRIPTION", "COMMENT"))):
        if paragraph.strip():
            yield Block("paragraph", paragraph.strip())


def _person(line: Line) -> str:
    """The name of somebody, or the address, and what is known of the reply."""
    name = " ".join(line.parameters.get("CN", "").split()) or re.sub(r"(?i)^mailto:", "", line.text)
    return f"{name} (declined)" if line.parameters.get("PARTSTAT", "").upper() == "DECLINED" else name


def _when(entry: Component, local: tzinfo | None) -> str:
    """From when until when; the end of whole days is the last of them."""
    first, last = entry.first("DTSTART"), entry.first("DTEND")
    if first is None or not (read := _time_and_zone(first, first.value, local)):
        return first.text if first else ""
    start, zone = read
    end, end_zone = (last and _time_and_zone(last, last.value, local)) or (_after(start, entry.text("DURATION")), zone)
    if end and not isinstance(start, datetime):
        end -= timedelta(days=1)
    if not end or isinstance(end, datetime) is not isinstance(start, datetime) or end <= start:
        return _written(start, zone)
    if zone != end_zone:
        return f"{_written(start, zone)} to {_written(end, end_zone)}"
    if isinstance(start, datetime) and isinstance(end, datetime) and start.date() == end.date():
        return f"{_written(start)}–{_written(end, zone).partition(' ')[2]}"
    return f"{_written(start)} to {_written(end, zone)}"


def _time_and_zone(line: Line, value: str, local: tzinfo | None) -> tuple[datetime | date, str] | None:
    """A time as it is written, and the name of its zone; "" = none is needed."""
    time = _time_of(value)
    if not isinstance(time, datetime):
        return (time, "") if time else None
    if not value.strip().upper().endswith("Z"):
        return time, line.parameters.get("TZID", "").strip("/")
    if local is None:
        return time, "UTC"
    try:
        return time.replace(tzinfo=UTC).astimezone(local).replace(tzinfo=None), str(local)
    except OverflowError:
        return time, "UTC"


def _time_of(value: str) -> datetime | date | None:
    found = _TIME.match(value.strip())
    try:
        if found and found[4]:
            return datetime(*map(int, found.groups()[:5]))  # type: ignore[arg-type]  # as it is written
        return date(*map(int, found.groups()[:3])) if found else None
    except ValueError:
        return None


def _after(start: datetime | date, duration: str) -> datetime | date | None:
    found = _DURATION.fullmatch(duration.strip().lstrip("+"))
    if not found:
        return None
    weeks, days, hours, minutes = (int(each or 0) for each in found.groups())
    try:
        return start + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes)
    except OverflowError:
        return None


def _written(time: datetime | date, zone: str = "") -> str:
    written = time.isoformat(" ", "minutes") if isinstance(time, datetime) else time.isoformat()
    return f"{written} ({zone})" if zone else written


def _times(lines: Iterator[Line], local: tzinfo | None) -> str:
    """Points in time, as they are for people."""
    parts = [(line, part) for line in lines for part in line.parts(",")]
    return ", ".join(_written(*read) if (read := _time_and_zone(line, part, local)) else part for line, part in parts)


def _in_words(rule: str) -> str:
    """A rule by which an event repeats, in words; what is rare, as it is written."""
    parts = dict(part.partition("=")[::2] for part in rule.upper().strip().split(";"))
    unit, count = _UNITS.get(parts.pop("FREQ", "")), parts.pop("INTERVAL", "1")
    if unit is None:
        return rule
    words = [f"every {unit}" if count == "1" else f"every {count} {unit}s"]
    if days := _BY_DAY.findall(parts.pop("BYDAY", "")):
        words.append(f"on {_listed([_ORDINALS.get(at, f'{at}. ' if at else '') + _DAYS[day] for at, day in days])}")
    if month_days := parts.pop("BYMONTHDAY", ""):
        words.append(f"on day {_listed(month_days.split(','))}")
    months = [int(month) for month in parts.pop("BYMONTH", "").split(",") if month.isdecimal() and len(month) < 3]
    if months := [month for month in months if 1 <= month <= 12]:
        words.append(f"in {_listed([_MONTHS[month - 1] for month in months])}")
    if until := parts.pop("UNTIL", ""):
        end = _time_of(until)
        words.append(f"until {end:%Y-%m-%d}" if end else f"until {until}")
    if times := parts.pop("COUNT", ""):
        words.append(f"{times} times")
    parts.pop("WKST", None)
    rest = ";".join(f"{name}={value}" for name, value in parts.items() if value)
    return " ".join([*words, *([f"({rest})"] if rest else [])])


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
