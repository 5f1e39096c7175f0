"""Tallies of turns: made, merged, and in the form in which they are stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from footnote.types import Tally, TurnFigures, latency_bucket

Key = tuple[str, str | None, str | None, str, str, str, str | None]
"""The first seven fields of a `Tally`."""
Stored = dict[str, Any]
"""A tally as JSON. Pairs are lists, because names of models and documents may contain characters that field names may not."""

COUNTS = ("turns", "errors", "cache_hits", "feedback_up", "feedback_down", "own_up", "own_down")
DAY_LENGTH, HOUR_LENGTH = 10, 13
"""Characters of `YYYY-MM-DD` and of `YYYY-MM-DDTHH`."""


@dataclass(slots=True)
class _Sums:
    counts: Counter[str] = field(default_factory=Counter)
    latencies: Counter[int] = field(default_factory=Counter)
    used: dict[str | None, tuple[int, int]] = field(default_factory=dict)
    cited: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def use(self, model: str | None, prompt: int, completion: int) -> None:
        before = self.used.get(model, (0, 0))
        self.used[model] = before[0] + prompt, before[1] + completion

    def cite(self, doc_id: str, turns: int, up: int, down: int) -> None:
        before = self.cited.get(doc_id, (0, 0, 0))
        self.cited[doc_id] = before[0] + turns, before[1] + up, before[2] + down

    def tally(self, key: Key) -> Tally:
        turns, errors, cache_hits, *ratings = (self.counts[name] for name in COUNTS)
        up, down, own_up, own_down = ratings
        return Tally(*key, turns, errors, cache_hits, up, down, own_up, own_down, self.latencies, self.used, self.cited)


def key_of(tally: Tally) -> Key:
    """The common attributes of the turns of a tally."""
    return tally.day, tally.user_id, tally.room_id, tally.search_type, tally.collection, tally.ended, tally.llm


def tallies_of(records: Iterable[TurnFigures], *, hours: bool = False) -> list[Tally]:
    """The tallies of these turns. `hours`: `day` is an hour, YYYY-MM-DDTHH."""
    groups: dict[Key, _Sums] = {}
    for record in records:
        begun = datetime.fromtimestamp(record.started_at, UTC).isoformat()
        day = begun[: HOUR_LENGTH if hours else DAY_LENGTH]
        ended = record.outcome or ("error" if record.is_error else "answered")
        key = day, record.user_id, record.room_id, record.search_type, record.collection, ended, record.llm
        sums = groups.setdefault(key, _Sums())
        ratings = Counter(given.rating for given in record.feedback)
        own = Counter(given.rating for given in record.feedback if given.user_id == record.user_id)
        up, down = ratings["up"], ratings["down"]
        for name, count in zip(COUNTS, (1, record.is_error, record.cache_hit, up, down, own["up"], own["down"]), strict=True):
            sums.counts[name] += count
        sums.latencies[latency_bucket(record.latency_ms)] += 1
        for usage in record.used:
            sums.use(usage.model, usage.usage.prompt_tokens, usage.usage.completion_tokens)
        for doc_id in {chunk_id.rpartition("#")[0] for chunk_id in record.cited}:
            sums.cite(doc_id, 1, up, down)
    return [sums.tally(key) for key, sums in groups.items()]


def merge(tallies: Iterable[Tally], key: Callable[[Tally], Key]) -> list[Tally]:
    """The tallies with equal keys added up, in the order of their first ones."""
    groups: dict[Key, _Sums] = {}
    for tally in tallies:
        sums = groups.setdefault(key(tally), _Sums())
        for name in COUNTS:
            sums.counts[name] += getattr(tally, name)
        for ms, count in tally.latencies.items():
            sums.latencies[ms] += count
        for model, (prompt, completion) in tally.used.items():
            sums.use(model, prompt, completion)
        for doc_id, (turns, up, down) in tally.cited.items():
            sums.cite(doc_id, turns, up, down)
    return [sums.tally(key) for key, sums in groups.items()]


def over_everybody(tally: Tally) -> Key:
    """The key of a day's sums over all users and rooms."""
    return tally.day, None, None, tally.search_type, tally.collection, tally.ended, tally.llm


def dump(tallies: Iterable[Tally]) -> list[Stored]:
    """As JSON, without day, user, room and search type of one that has a user: they are in its row."""
    return [_dump(tally) for tally in tallies]


def _dump(tally: Tally) -> Stored:
    stored: Stored = {"collection": tally.collection, "ended": tally.ended, "llm": tally.llm}
    if tally.user_id is None:
        stored["search_type"] = tally.search_type
    stored |= {name: count for name in COUNTS if (count := getattr(tally, name))}
    stored["latencies"] = [[ms, count] for ms, count in sorted(tally.latencies.items())]
    if tally.used:
        stored["used"] = [[model, *tokens] for model, tokens in tally.used.items()]
    if tally.cited:
        stored["cited"] = [[doc_id, *counts] for doc_id, counts in sorted(tally.cited.items())]
    return stored


def load(stored: Sequence[Mapping[str, Any]], day: str, user_id: str | None, room_id: str | None, search_type: str | None) -> list[Tally]:
    """The tallies that `dump` stored in the row of this day, user, room and search type; None = of everybody."""
    return [_load(row, day, user_id, room_id, search_type or row["search_type"]) for row in stored]


def _load(stored: Mapping[str, Any], day: str, user_id: str | None, room_id: str | None, search_type: str) -> Tally:
    turns, errors, cache_hits, up, down, own_up, own_down = (stored.get(name, 0) for name in COUNTS)
    return Tally(
        *(day, user_id, room_id, search_type, stored["collection"], stored["ended"], stored["llm"]),
        *(turns, errors, cache_hits, up, down, own_up, own_down),
        latencies={ms: count for ms, count in stored["latencies"]},  # noqa: C416 - lists, not tuples
        used={model: (prompt, completion) for model, prompt, completion in stored.get("used", ())},
        cited={doc_id: (cited, liked, disliked) for doc_id, cited, liked, disliked in stored.get("cited", ())},
    )
