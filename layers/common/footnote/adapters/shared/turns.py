"""What the stores of turns, feedback and statistics do alike: how long turns are kept, how many are read at once, pages, stale days."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from footnote.errors import BadRequest
from footnote.ports import Clock, RolledDay, StoredTurn
from footnote.turn_records.days import begin_of
from footnote.types import Feedback, Page

K = TypeVar("K")
F = TypeVar("F")
T = TypeVar("T")

NO_TURN, NO_ROOM = "There is no such turn.", "There is no such conversation."
"""Details of NotFound."""
TAKEN = "This trace id is in use."
"""Detail of the Conflict for a trace of another user's."""
NO_PLACE = "`after` is not the `last_id` of a page of this list."
"""Detail of the BadRequest for a place in a list of feedback."""
AT_ONCE = 100
"""Turns that are in memory together when all of them are read."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long turns are kept. `keep_s` None = for good."""

    clock: Clock
    keep_s: float | None = None

    @property
    def since(self) -> float:
        """Turns that started before are as good as deleted, although an engine may still hold them."""
        return 0.0 if self.keep_s is None else self.clock() - self.keep_s

    def expires_at(self, started_at: float) -> float | None:
        """When a turn may be deleted; None = never."""
        return None if self.keep_s is None else started_at + self.keep_s


Place = tuple[float, str, str]
"""Of feedback in a list: when it was given, the trace, the user."""


def place_of(feedback: Feedback) -> str:
    """The place of feedback in a list, as an id for the next page. It stays valid when the feedback is gone."""
    return f"{feedback.created_at!r} {feedback.trace_id} {feedback.user_id}"


def load_place(after: str) -> Place:
    """The place that `place_of` wrote; else BadRequest."""
    at, _, rest = after.partition(" ")
    trace_id, _, user_id = rest.partition(" ")
    try:
        return float(at), trace_id, user_id
    except ValueError as exc:
        raise BadRequest(NO_PLACE) from exc


async def read_in_batches(keys: Sequence[K], read: Callable[[Sequence[K]], Awaitable[Sequence[StoredTurn]]]) -> AsyncIterator[StoredTurn]:
    """The turns of these keys, in their order, at most AT_ONCE in one read."""
    for first in range(0, len(keys), AT_ONCE):
        for stored in await read(keys[first : first + AT_ONCE]):
            yield stored


def page_of(found: Sequence[F], limit: int, load: Callable[[F], T | None], id_of: Callable[[F], str]) -> Page[T]:
    """A page of at most `limit`. `found`: one more than that where others follow; `load`: None = gone meanwhile, and left out."""
    loaded = [(load(each), id_of(each)) for each in found[:limit]]
    kept = [(item, item_id) for item, item_id in loaded if item is not None]
    return Page(tuple(item for item, _ in kept), has_more=len(found) > limit, last_id=kept[-1][1] if kept else None)


def not_fresh(known: Iterable[RolledDay], with_turns: Iterable[str], since: float) -> list[RolledDay]:
    """The days to roll up, newest first: of the `known` ones those that are not fresh, and those that have turns and are not known.
    `since`: turns that started before are not kept."""
    days = {day: RolledDay(day, whole=begin_of(day) >= since) for day in with_turns} | {each.day: each for each in known}
    return sorted((each for each in days.values() if not each.is_fresh), key=lambda each: each.day, reverse=True)
