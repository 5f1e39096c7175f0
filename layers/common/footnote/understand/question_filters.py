"""Searches only documents of the time that a question names, if the documents have a date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta

from footnote.ports import Clock, Index
from footnote.text.periods import find_period
from footnote.types import Chunk, Condition, Conditions, Period, Search, Turn
from footnote.types.conditions import DATE_FIELDS, time_of, values_of
from footnote.types.copies import replace

SAMPLE = 50
"""Passages examined for a date field."""


def names_period(turn: Turn) -> bool:
    """The documents answer, the question names some of a time, and its request has no alternative conditions."""
    return turn.request.mode == "rag" and not turn.request.conditions.any and find_period(turn.asked, date(2000, 1, 1)) is not None


async def filter_by_question(turn: Turn, *, index: Index, clock: Clock) -> Turn:
    """Adds conditions on the date to the request, and the period to the scope of the question. If no word of the question occurs under
    these conditions, they are left out, and the note `question_filter` records it. Only documents that the caller may read decide."""
    period = find_period(turn.asked, datetime.fromtimestamp(clock(), UTC).date())
    field = date_field(await index.sample(turn.caller, turn.request.collection, SAMPLE))
    if period is None or field is None:
        return turn
    request = turn.request
    narrowed = replace(request, conditions=Conditions((*request.conditions.each, *conditions_of(field, period))))
    search = Search(
        collection=request.collection,
        text=turn.asked,
        lang=turn.lang,
        spoken=frozenset(turn.languages),
        limit=1,
        levels=turn.plan.levels,
        filters=request.filters,
        conditions=narrowed.conditions,
    )
    hits = (await index.candidates(turn.caller, search)).lexical
    note = {"field": field, "from": _iso(period.first), "before": _iso(period.end), "applied": bool(hits)}
    if hits:
        scope = replace(turn.reading.scope, period=period)
        turn = replace(turn, request=narrowed, reading=replace(turn.reading, scope=scope))
    return turn.with_notes(question_filter=note)


def date_field(chunks: Iterable[Chunk]) -> str | None:
    """The first of DATE_FIELDS with a date in the document of one of these passages."""
    metadata = [chunk.metadata for chunk in chunks]
    dated = {
        name for name in DATE_FIELDS if any(time_of(value) is not None for document in metadata for value in values_of(document, name))
    }
    return next((name for name in DATE_FIELDS if name in dated), None)


def conditions_of(field: str, period: Period) -> Iterator[Condition]:
    """The conditions that the field lies in the period (UTC)."""
    if period.first is not None:
        just_before = datetime(period.first.year, period.first.month, period.first.day, tzinfo=UTC) - timedelta(microseconds=1)
        yield Condition(field, "after", (just_before.isoformat(),))
    if period.end is not None:
        yield Condition(field, "before", (period.end.isoformat(),))


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
