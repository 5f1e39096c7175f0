"""Feedback on stored turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from footnote.types import Caller, Feedback, Page, Rating, TurnRecord


@dataclass(frozen=True, slots=True)
class RatedTurn:
    """A stored turn, with one user's feedback on it, who is not always the one who asked."""

    record: TurnRecord
    feedback: Feedback


@dataclass(frozen=True, slots=True)
class FeedbackFilter:
    """Which feedback to list; None = any. `since`, `until`: seconds since the epoch, of the feedback, the latter excluded;
    `usual_reason`: as in `Feedback`; `collections`: names as turns hold them; `trace_id`: of the turn."""

    since: float = 0.0
    until: float | None = None
    rating: Rating | None = None
    usual_reason: str | None = None
    collections: frozenset[str] | None = None
    trace_id: str | None = None


class FeedbackStore(Protocol):
    """One user's feedback on one turn at a time. It ends with the turn, and with the data of the user who gave it."""

    async def put(self, caller: Caller, feedback: Feedback) -> None:
        """Replaces the caller's earlier feedback on the turn, whatever user `feedback` names. NotFound for a turn that is not the
        caller's."""

    async def get(self, caller: Caller, trace_id: str) -> Feedback | None:
        """The caller's own feedback on a turn."""

    async def delete(self, caller: Caller, trace_id: str) -> bool:
        """Deletes the caller's own feedback on a turn; False if there was none."""

    async def list(self, caller: Caller, wanted: FeedbackFilter, limit: int, after: str | None = None) -> Page[RatedTurn]:
        """Feedback, the newest first: everybody's for an admin, their own for others. `after`: the `last_id` of the previous page,
        whose feedback may have been deleted. BadRequest for one that no page had.

        Whoever shows it first checks that the reader may read the documents of the turn (`turn_records.readable`)."""

    async def rated_by_others(self, caller: Caller, collection: str, since: float, limit: int) -> Sequence[RatedTurn]:
        """Other users' feedback with a reason or tags on their own turns, of one collection, that started at `since` or later, newest
        turn first, at most `limit`. Nothing of it may reach the caller unless they may read the documents of the turn."""

    async def rated(self, caller: Caller, since: float, limit: int) -> Sequence[tuple[str, Feedback]]:
        """The caller's own feedback with a reason or tags on their own turns that started at `since` or later, with the turn's
        question, newest turn first, at most `limit`. An admin gets their own, too."""
