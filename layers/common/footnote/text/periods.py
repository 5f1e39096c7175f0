"""The period of the documents that a question asks for: “contracts since 2024”, “E-Mails vom März”, “지난달 보고서”.

Only a time that belongs to a kind of document counts. “What happened in 1894?” asks about its content, and “contracts that expire before
March” about another date than the document's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from footnote.types import Period

MONTH_NAMES = (
    ("january", "januar"),
    ("february", "februar"),
    ("march", "märz"),
    ("april",),
    ("may", "mai"),
    ("june", "juni"),
    ("july", "juli"),
    ("august",),
    ("september",),
    ("october", "oktober"),
    ("november",),
    ("december", "dezember"),
)
MONTHS = {name: number for number, names in enumerate(MONTH_NAMES, start=1) for name in names}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
WHEN = (
    r"(?P<iso>\d{4}-\d\d-\d\d)"
    rf"|(?:(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th)? )?(?P<month>{_MONTH})(?: (?P<year>(?:19|20)\d\d))?"
    r"|(?P<only>(?:19|20)\d\d)(?!\d|년)"
    r"|(?P<koyear>(?:19|20)\d\d)년(?:도)?(?: ?(?P<komonth>\d{1,2})월)?(?: ?(?P<koday>\d{1,2})일)?"
    r"|(?P<bare>\d{1,2})월(?: ?(?P<bareday>\d{1,2})일)?"
    r"|(?P<last>last|(?:de[rmns] )?letzte[mnrs]?|(?:de[rmns] )?vergangene[mnrs]?|지난) ?(?P<unit>year|month|week|jahre?s?|monats?|woche"
    r"|해|달|주)"
    r"|(?P<this>this|diese[mnrs]?|이번) ?(?P<unit2>year|month|week|jahre?s?|monats?|woche|해|달|주)|(?P<word>yesterday|today|gestern"
    r"|heute|어제|오늘|작년|올해)"
)
NOUN = (
    r"(?:e-?mails?|mails?|contracts?|reports?|documents?|files?|invoices?|minutes|letters?|memos?|messages?|offers?|presentations?"
    r"|newsletters?"
    r"|verträgen?|vertrag|berichten?|bericht|dokumenten?|dokument|dateien?|rechnung(?:en)?|protokollen?|protokoll|briefen?|brief"
    r"|nachricht(?:en)?"
    r"|angeboten?|angebot|mitteilung(?:en)?|präsentation(?:en)?)"
)
NOUN_KO = r"(?:이메일|메일|계약서|계약|보고서|문서|파일|송장|청구서|회의록|편지|메모|메시지|견적서|발표 자료)"
BETWEEN = r"(?: (?:from|by|to|of|von|an) (?!the\b|de[rmn]\b|\d)[^\W\d]+)?"
"""“emails from Anna since …”."""
DATED = "since|seit|ab|after|nach|before|vor|until|till|up to|by|bis zum|bis|from|in|of|during|im|vom|von|aus|on|am"
LATIN = re.compile(rf"\b{NOUN}{BETWEEN} (?P<how>{DATED})(?: (?:the|de[rmn]))? (?:{WHEN})(?P<open> on\b| onwards?\b| an\b)?", re.IGNORECASE)
PLAIN = re.compile(rf"\b(?:{WHEN})'?s? {NOUN}\b|\b{NOUN} (?P<year2>(?:19|20)\d\d)\b", re.IGNORECASE)
"""Without a preposition: “last month's reports”, “Berichte 2023”."""
BEFORE_MONTH = re.compile(r"\b(?:the|our|my|your|all|any|last|this|from|of|for|in|show|list|find|me|and)\s+$", re.IGNORECASE)
"""Words before the month May, which do not precede the verb."""
KOREAN = re.compile(rf"(?:{WHEN}) ?(?P<how>부터|이후|이래|이전|전에?|까지|에|의)?(?:에|의|로)? ?(?:[가-힣]+ ){{0,2}}?{NOUN_KO}")
EXPIRES_KO = ("끝나", "만료", "종료", "마감")


def find_period(question: str, today: date) -> Period | None:
    """The period of the requested documents; None = the question names none."""
    korean = None if any(word in question for word in EXPIRES_KO) else KOREAN.search(question)
    plain = (match for match in PLAIN.finditer(question) if not _is_verb(match, question))
    match = LATIN.search(question) or korean or next(plain, None)
    if match is None:
        return None
    said = {name: value.lower() for name, value in match.groupdict().items() if value}
    try:
        spans = next(_span(said, today), None)
    except ValueError:  # the 31st of June
        return None
    if spans is None:
        return None
    first, end = spans
    how, is_open = said.get("how", ""), "open" in said
    if how in ("since", "seit", "ab", "부터", "이후", "이래") or is_open:
        return Period(first, None)
    if how in ("after", "nach"):
        return Period(end, None)
    if how in ("before", "vor", "이전", "전", "전에"):
        return Period(None, first)
    if how in ("until", "till", "up to", "by", "bis", "bis zum", "까지"):
        return Period(None, end)
    return Period(first, end)


def _is_verb(match: re.Match[str], question: str) -> bool:
    """Whether “may” is a verb: “firms may offer”, “What may contracts contain?”. Inside a sentence the month has a capital, or a day, a
    year or a word of BEFORE_MONTH beside it."""
    if (match["month"] or "").lower() != "may" or match["day"] or match["year"]:
        return False
    before = question[: match.start()]
    return BEFORE_MONTH.search(before) is None and (not before.strip() or match["month"] == "may")


def _span(said: dict[str, str], today: date) -> Iterator[tuple[date, date]]:
    """The first day of the named period, and the day after its last."""
    if "iso" in said:
        yield _day(date.fromisoformat(said["iso"]))
    if "month" in said:
        yield _month(MONTHS[said["month"]], said.get("year"), said.get("day"), today)
    if "koyear" in said:
        at, month = said["koyear"], said.get("komonth")
        yield _month(int(month), at, said.get("koday"), today) if month else _year(int(at))
    if "bare" in said:
        yield _month(int(said["bare"]), None, said.get("bareday"), today)
    if year := said.get("only") or said.get("year2"):
        yield _year(int(year))
    if unit := said.get("unit") or said.get("unit2"):
        yield _unit(unit, today, 1 if "last" in said else 0)
    if word := said.get("word"):
        if word in ("작년", "올해"):
            yield _year(today.year - (word == "작년"))
        else:
            yield _day(today - timedelta(days=word in ("yesterday", "gestern", "어제")))


def _day(day: date) -> tuple[date, date]:
    return day, day + timedelta(days=1)


def _year(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year + 1, 1, 1)


def _month(month: int, year: str | None, day: str | None, today: date) -> tuple[date, date]:
    """A month without a year is the latest one that has begun."""
    at = int(year) if year else today.year - (month > today.month)
    if day:
        return _day(date(at, month, int(day)))
    return date(at, month, 1), date(at + month // 12, month % 12 + 1, 1)


def _unit(unit: str, today: date, ago: int) -> tuple[date, date]:
    if unit.startswith(("year", "jahr", "해")):
        return _year(today.year - ago)
    if unit.startswith(("week", "woche", "주")):
        monday = today - timedelta(days=today.weekday() + 7 * ago)
        return monday, monday + timedelta(days=7)
    last = (today.replace(day=1) - timedelta(days=1)) if ago else today
    return _month(last.month, str(last.year), None, today)
