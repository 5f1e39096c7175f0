"""`Voice`, what one customer said, and `VoiceFilter`, which chooses some of them. A collection is read as the caller may read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from footnote.ports import Index
from footnote.types import Caller, Chunk, Condition, Conditions
from footnote.types.conditions import time_of
from footnote.types.voices import SAID, is_voice

DAY_S = 86_400.0
MOST_READ = 20_000
"""Voices that are read; of a larger collection, the first of each file."""


@dataclass(frozen=True, slots=True)
class Voice:
    """One ticket, review or mail. `text`: what the customer wrote, without other columns. `at`: seconds since 1970."""

    voice_id: str
    """The id of its passage in the index, or one of the product's own voices."""
    text: str
    lang: str
    at: float | None = None
    channel: str | None = None
    product: str | None = None
    rating: float | None = None
    """1 to 5."""
    customer: str | None = None
    ticket: str | None = None
    chunk: Chunk | None = None
    """Its passage; None for the product's own voices."""


@dataclass(frozen=True, slots=True)
class VoiceFilter:
    """Chooses voices; () and None = any. `first`, `last`: days, both included, UTC."""

    channel: tuple[str, ...] = ()
    product: tuple[str, ...] = ()
    rating_from: float | None = None
    rating_to: float | None = None
    first: date | None = None
    last: date | None = None

    @property
    def since(self) -> float | None:
        """The beginning of the first day."""
        return None if self.first is None else _midnight(self.first)

    @property
    def until(self) -> float | None:
        """The end of the last day."""
        return None if self.last is None else _midnight(self.last) + DAY_S

    def is_met_by(self, voice: Voice) -> bool:
        """Whether it chooses this voice. One without a date is in no period, one without a rating has none in a range."""
        return self.meets_all_but_time(voice) and self.is_in_time(voice)

    def is_in_time(self, voice: Voice) -> bool:
        """Whether the voice is of the period."""
        since, until = self.since, self.until
        if since is None and until is None:
            return True
        return voice.at is not None and (since is None or voice.at >= since) and (until is None or voice.at < until)

    def meets_all_but_time(self, voice: Voice) -> bool:
        """Whether it chooses this voice or would in another period."""
        if (self.channel and voice.channel not in self.channel) or (self.product and voice.product not in self.product):
            return False
        if self.rating_from is None and self.rating_to is None:
            return True
        if voice.rating is None:
            return False
        return (self.rating_from is None or voice.rating >= self.rating_from) and (self.rating_to is None or voice.rating <= self.rating_to)

    def conditions(self) -> Conditions:
        """The same for a search in an index."""
        conditions: list[Condition] = []
        conditions += [Condition("channel", "in", self.channel)] if self.channel else []
        conditions += [Condition("product", "in", self.product)] if self.product else []
        conditions += [Condition("rating", "≥", (str(self.rating_from),))] if self.rating_from is not None else []
        conditions += [Condition("rating", "≤", (str(self.rating_to),))] if self.rating_to is not None else []
        if self.first is not None:
            just_before = datetime(self.first.year, self.first.month, self.first.day, tzinfo=UTC) - timedelta(microseconds=1)
            conditions.append(Condition("date", "after", (just_before.isoformat(),)))
        if self.last is not None:
            conditions.append(Condition("date", "before", ((self.last + timedelta(days=1)).isoformat(),)))
        return Conditions(tuple(conditions))


def voice_of(chunk: Chunk) -> Voice:
    """The voice whose passage this is."""
    metadata: Mapping[str, Any] = chunk.metadata
    return Voice(
        chunk.chunk_id,
        said_in(chunk),
        chunk.lang,
        time_of(str(metadata["date"])) if metadata.get("date") else None,
        _text(metadata.get("channel")),
        _text(metadata.get("product")),
        _rating(metadata.get("rating")),
        _text(metadata.get("customer")),
        _text(metadata.get("ticket")),
        chunk,
    )


def said_in(chunk: Chunk) -> str:
    """The customer's text, from a passage."""
    said = chunk.metadata.get(SAID)
    return chunk.text[:said] if isinstance(said, int) else chunk.text


def _text(value: Any) -> str | None:
    return None if value in (None, "") else str(value)


def _rating(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _midnight(day: date) -> float:
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


@dataclass(frozen=True, slots=True)
class Read:
    """Voices as they were read. `cut`: there are more."""

    voices: tuple[Voice, ...]
    cut: bool = False


async def read_collection(caller: Caller, collection: str, *, index: Index) -> Read:
    """The voices of a collection that the caller may read."""
    chunks = await index.sample(caller, collection, MOST_READ + 1)
    return Read(tuple(voice_of(chunk) for chunk in chunks[:MOST_READ] if is_voice(chunk.metadata)), len(chunks) > MOST_READ)
