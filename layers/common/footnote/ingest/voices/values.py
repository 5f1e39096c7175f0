"""Dates and ratings as people and exports write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from footnote.text.periods import MONTHS
from footnote.types.conditions import number_of

SHORT_MONTHS = {name[:3]: number for name, number in MONTHS.items()} | {"mrz": 3, "mär": 3, "sept": 9}
CLOCK = r"(?:[T ,]+(?:um )?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?(?: Uhr)?)?"
ZONE = r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d))?"
NAMED = r"(?P<name>[A-Za-zäÄ]{3,9})\.?"
PATTERNS = tuple(
    re.compile(rf"\s*{day}{CLOCK}{ZONE}\s*")
    for day in (
        r"(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\.?",
        r"(?P<year>(?:19|20)\d\d)\. (?P<month>\d{1,2})\. (?P<day>\d{1,2})\.?",
        r"(?P<year>(?:19|20)\d\d)년 ?(?P<month>\d{1,2})월 ?(?P<day>\d{1,2})일",
        r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)",
        r"(?P<first>\d{1,2})(?P<sign>[./-])(?P<second_>\d{1,2})(?P=sign)(?P<year>(?:19|20)?\d\d)",
        rf"{NAMED} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>(?:19|20)\d\d)",
        rf"(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th)?[ -]{NAMED}[ ,-]+(?P<year>(?:19|20)\d\d)",
    )
)
EPOCH = re.compile(r"1\d{9}(?:\d{3})?(?:\.\d+)?")
STARS = re.compile(r"([★⭐]+)[☆✩]*")
OF = re.compile(r"(\d+(?:[.,]\d+)?) ?(?:/|out of|of|von|점 ?/) ?(\d+)(?: ?(?:stars?|sternen?|점))?", re.IGNORECASE)
PLAIN = re.compile(r"(\d+(?:[.,]\d+)?) ?(?:stars?|sterne?|punkte?|점|점수|%)?", re.IGNORECASE)


def read_date(text: str, *, day_first: bool) -> str | None:
    """The date as ISO 8601, with the time in UTC if it is given; None if it is none. `day_first`: 3/4/2026 is in April."""
    text = text.strip()
    if EPOCH.fullmatch(text):
        seconds = float(text)
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC).isoformat(timespec="seconds")
    found = next((match for pattern in PATTERNS if (match := pattern.fullmatch(text))), None)
    if found is None:
        return _mail_date(text)
    said = found.groupdict()
    month: int | None
    if "first" in said:
        first, second = int(said["first"]), int(said["second_"])
        day, month = (first, second) if first > 12 or (second <= 12 and (day_first or said["sign"] == ".")) else (second, first)
    else:
        day = int(said["day"])
        name = (said.get("name") or "").lower()
        month = int(said["month"]) if "month" in said else MONTHS.get(name, SHORT_MONTHS.get(name))
    year = int(said["year"]) + (2000 if len(said["year"]) == 2 else 0)
    try:
        return None if month is None else _with_time(year, month, day, said)
    except ValueError:
        return None


def _with_time(year: int, month: int, day: int, said: dict[str, str | None]) -> str:
    if not said["hour"]:
        return datetime(year, month, day, tzinfo=UTC).date().isoformat()
    hour = int(said["hour"])
    if half := said["half"]:
        hour = hour % 12 + 12 * (half in "Pp")
    zone = UTC
    if (name := said["zone"]) and name[0] in "+-":
        sign, digits = (-1 if name[0] == "-" else 1), name[1:].replace(":", "")
        zone = timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))
    at = datetime(year, month, day, hour, int(said["minute"] or 0), int(said["second"] or 0), tzinfo=zone)
    return at.astimezone(UTC).isoformat()


def _mail_date(text: str) -> str | None:
    """RFC 5322, as in mails."""
    try:
        at = parsedate_to_datetime(text) if re.match(r"(?:[A-Za-z]{3}, )?\d{1,2} [A-Za-z]{3} \d{4} \d", text) else None
        return None if at is None else (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (ValueError, IndexError, TypeError, OverflowError):
        return None


def is_day_first(texts: Iterable[str], lang: str) -> bool:
    """Whether a column writes 3/4/2026 for a day in April: some date of it can be read so only, or its language does."""
    pairs = [(int(match["first"]), int(match["second_"])) for text in texts if (match := PATTERNS[4].fullmatch(text.strip()))]
    if any(second > 12 for _, second in pairs):
        return False
    return any(first > 12 for first, _ in pairs) or lang == "de"


def scale_of(texts: Sequence[str]) -> float:
    """The highest rating that a column may hold: 5, 10 or 100. A number above 100 is none, and does not count."""
    values = [value for text in texts if (value := _number(text)) is not None and value <= 100]
    most = max(values, default=5.0)
    return 5.0 if most <= 5 else 10.0 if most <= 10 else 100.0


def read_rating(text: str, scale: float) -> float | None:
    """The rating from 0 to 5; None if it is none. “8/10” is 4, as is 8 on a scale of 10."""
    text = text.strip()
    if stars := STARS.fullmatch(text):
        return float(min(len(stars[1]), 5))
    if of := OF.fullmatch(text):
        value, most = float(of[1].replace(",", ".")), float(of[2])
        return round(5 * value / most, 2) if most > 0 and value <= most else None
    value_ = _number(text)
    return None if value_ is None or not 0 <= value_ <= scale else round(5 * value_ / scale, 2)


def _number(text: str) -> float | None:
    found = PLAIN.fullmatch(text.strip())
    return number_of(found[1].replace(",", ".")) if found else None
