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

    def add(self, tally: Tally) -> None:
        for name in COUNTS:
            self.counts[name] += getattr(tally, name)
        self.latencies.update(tally.latencies)
        for model, tokens in tally.used.items():
            prompt, completion = self.used.get(model, (0, 0))
            self.used[model] = prompt + tokens[0], completion + tokens[1]
        for doc_id, counts in tally.cited.items():
            turns, up, down = self.cited.get(doc_id, (0, 0, 0))
            self.cited[doc_id] = turns + counts[0], up + counts[1], down + counts[2]

    def tally(self, key: Key) -> Tally:
        turns, errors, cache_hits, up, down, own_up, own_down = (self.counts[name] for name in COUNTS)
        return Tally(*key, turns, errors, cache_hits, up, down, own_up, own_down, self.latencies, self.used, self.cited)


def key_of(tally: Tally) -> Key:
    """The common attributes of the turns of a tally."""
    return tally.day, tally.user_id, tally.room_id, tally.search_type, tally.collection, tally.ended, tally.llm


def tallies_of(records: Iterable[TurnFigures], *, hours: bool = False) -> list[Tally]:
    """The tallies of these turns. `hours`: `day` is an hour, YYYY-MM-DDTHH."""
    return merge((_tally_of(record, HOUR_LENGTH if hours else DAY_LENGTH) for record in records), key_of)


def _tally_of(record: TurnFigures, length: int) -> Tally:
    """The tally of one turn. `length`: of its day."""
    ratings = Counter(given.rating for given in record.feedback)
    own = Counter(given.rating for given in record.feedback if given.user_id == record.user_id)
    return Tally(
        day=datetime.fromtimestamp(record.started_at, UTC).isoformat()[:length],
        user_id=record.user_id,
        room_id=record.room_id,
        search_type=record.search_type,
        collection=record.collection,
        ended=record.outcome or ("error" if record.is_error else "answered"),
        llm=record.llm,
        turns=1,
        errors=int(record.is_error),
        cache_hits=int(record.cache_hit),
        feedback_up=ratings["up"],
        feedback_down=ratings["down"],
        own_up=own["up"],
        own_down=own["down"],
        latencies={latency_bucket(record.latency_ms): 1},
        used={each.model: (each.usage.prompt_tokens, each.usage.completion_tokens) for each in record.used},
        cited=dict.fromkeys({chunk_id.rpartition("#")[0] for chunk_id in record.cited}, (1, ratings["up"], ratings["down"])),
    )


def merge(tallies: Iterable[Tally], key: Callable[[Tally], Key]) -> list[Tally]:
    """The tallies with equal keys added up, in the order of their first ones."""
    groups: dict[Key, _Sums] = {}
    for tally in tallies:
        groups.setdefault(key(tally), _Sums()).add(tally)
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
