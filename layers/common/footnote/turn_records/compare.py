"""Compares two records of turns that answered the same question: the one that is stored, and one that was asked again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from footnote.turn_records.read import FORMER_STEPS
from footnote.types import StoredHit, StoredSpan, TurnRecord

Side = Literal["both", "old", "new"]
"""Where a run of words is."""
WORD = re.compile(r"\s*\S+")
"""A word with the space before it."""


@dataclass(frozen=True, slots=True)
class HitChange:
    """A passage that either turn found. `old`, `new`: its rank, from 1; None = that turn did not find it."""

    hit: StoredHit
    old: int | None
    new: int | None


@dataclass(frozen=True, slots=True)
class StepChange:
    """A step that either turn ran; None = that turn did not run it."""

    name: str
    old: StoredSpan | None
    new: StoredSpan | None


def unmarked_text(record: TurnRecord) -> str:
    """The answer without the markers of its citations, whose form differs from API to API."""
    text = record["result"]["final_response"]
    for start, end in sorted((span for cited in record["result"]["references"] for span in cited["spans"]), reverse=True):
        text = text[:start].rstrip(" ") + text[end:]
    return text


def word_changes(old: str, new: str) -> list[tuple[Side, str]]:
    """The difference of two texts, word by word: runs of words with the spaces before them, in the order of reading."""
    before, after = WORD.findall(old), WORD.findall(new)
    bare = [word.strip() for word in before], [word.strip() for word in after]  # a line break is no difference
    changes: list[tuple[Side, str]] = []
    for kind, first, last, start, end in SequenceMatcher(None, *bare).get_opcodes():
        if kind == "equal":
            changes.append(("both", "".join(after[start:end])))
            continue
        changes += [("old", "".join(before[first:last]))] if last > first else []
        changes += [("new", "".join(after[start:end]))] if end > start else []
    return changes


def hit_changes(old: TurnRecord, new: TurnRecord) -> list[HitChange]:
    """The passages that either turn found: those of the new one in their order, then those of the old one only."""
    ranks = {hit["chunk_id"]: rank for rank, hit in enumerate(old["hits"], start=1)}
    kept = {hit["chunk_id"] for hit in new["hits"]}
    changes = [HitChange(hit, ranks.get(hit["chunk_id"]), rank) for rank, hit in enumerate(new["hits"], start=1)]
    return changes + [HitChange(hit, ranks[hit["chunk_id"]], None) for hit in old["hits"] if hit["chunk_id"] not in kept]


def step_changes(old: TurnRecord, new: TurnRecord) -> list[StepChange]:
    """The steps that either turn ran, in their order; one that only the old turn ran comes after the one before it."""
    before, after = ({FORMER_STEPS.get(span["name"], span["name"]): span for span in record["spans"]} for record in (old, new))
    return [StepChange(name, before.get(name), after.get(name)) for name in _merged(list(before), list(after))]


def _merged(old: list[str], new: list[str]) -> Iterator[str]:
    """The names of both lists, each once."""
    shared = set(old).intersection(new)
    gone = iter(old)
    for name in new:
        if name in shared:
            for other in gone:
                if other == name:
                    break
                if other not in shared:
                    yield other
        yield name
    yield from (other for other in gone if other not in shared)
