"""Stored turns, the feedback on them, and their figures."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from footnote.types import Caller, Feedback, Mode, Outcome, Page, Rating, Tally, TurnFigures, TurnMetrics, TurnRecord


@dataclass(frozen=True, slots=True)
class Rollup:
    """The figures of one user, room and search type on one day, by name, and the tallies that add up. `llm`: of the last turn that
    used one."""

    user_id: str
    room_id: str
    search_type: str
    figures: Mapping[str, float]
    llm: str | None = None
    tallies: tuple[Tally, ...] = ()
    """Empty: turns were counted, but not rolled up yet."""


@dataclass(frozen=True, slots=True)
class RolledDay:
    """A day (YYYY-MM-DD, UTC), and what its roll-ups are made from."""

    day: str
    version: int = 0
    """Raised by each change of a turn, or of feedback on it, that comes after the turn's day was over."""
    changed_at: float = 0.0
    """When `version` was raised last."""
    rolled: int | None = None
    """The version from which the roll-ups are made; None = they are not made, or the day was not over."""
    whole: bool = True
    """Whether all turns of the day are still kept. Otherwise the roll-ups are what is left of it."""
    tallies: tuple[Tally, ...] = ()
    """The sums over all users and rooms; for admins only."""

    @property
    def is_fresh(self) -> bool:
        """Whether the roll-ups are those of the stored turns."""
        return self.rolled == self.version


@dataclass(frozen=True, slots=True)
class Room:
    """A conversation in a list. `title`: its first question; `updated_at`: when its last turn started."""

    room_id: str
    title: str
    turns: int
    updated_at: float


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A stored turn, with its user's feedback on it."""

    record: TurnRecord
    feedback: Feedback | None = None


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


@dataclass(frozen=True, slots=True)
class Share:
    """A link to a conversation. `share_id` names it to its owner; `digest`: the hash of the token that opens it, which is not stored.
    `room_id`: of `user_id`; the turns that began up to `created_at` are shared. `expires_at` None = until it is deleted."""

    share_id: str
    digest: str
    user_id: str
    room_id: str
    created_at: float
    expires_at: float | None = None

    def is_valid(self, now: float) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or now < self.expires_at


class TurnStore(Protocol):
    """Stored turns, and feedback on them. Turns older than the time for which conversations are kept are as good as deleted."""

    async def save(self, record: TurnRecord) -> None:
        """Stores a turn. A record of status `idle` never replaces another one. A turn that is saved again keeps its place in its
        room. Conflict when the trace is another user's."""
        ...

    async def get(self, caller: Caller, trace_id: str) -> TurnRecord:
        """The caller's own turn; NotFound otherwise."""
        ...

    async def trim(self, caller: Caller, trace_id: str) -> None:
        """Drops an agent's tool calls and their results from a turn. Does nothing for an unknown trace."""
        ...

    async def history(
        self,
        caller: Caller,
        room_id: str,
        dialect: str,
        limit: int,
        *,
        mode: Mode = "rag",
        classes: frozenset[str] = frozenset(),
        before: str | None = None,
    ) -> list[TurnRecord]:
        """The last `limit` finished turns of the caller in one room, dialect and mode, oldest first. Where `classes` is not
        empty, only turns that have one of them among their `block_classes`. `before`: the trace of a turn; only turns that
        began before it, all if it is not stored."""
        ...

    async def room_prompt(self, caller: Caller, room_id: str, dialect: str, name: str) -> str | None:
        """The system message called `name` of the first of the caller's turns in one room and dialect that has one, failed ones too;
        None = none has."""
        ...

    async def tokens(self, caller: Caller, room_id: str) -> int:
        """All tokens that the caller's turns of a room have used, in every dialect."""
        ...

    def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        """All of the caller's own turns, oldest first."""
        ...

    async def delete_all_of(self, caller: Caller) -> int:
        """Deletes the caller's turns in all rooms, the links to them, the feedback they gave, and the roll-ups under their name.
        Returns the number of turns."""
        ...

    async def count(self, figures: TurnFigures) -> None:
        """Adds `turn_records.figures.share_of` a stored turn to the roll-up of its day, user, room and mode, once however often
        it is called. `put_rollups` replaces the same roll-up by one made from the stored turns, which corrects a count that was
        cut off, or that a simultaneous one added twice."""
        ...

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        """The caller's own conversations in all dialects, the last used one first. Turns without a room are not listed, unless a
        later turn has their trace id as its room. NotFound for an `after` that is no room of the caller's."""
        ...

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        """The caller's turns of a room, in all dialects, errors too, oldest first. NotFound where there are none, and
        for an `after` that is no turn of the room."""
        ...

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        """Deletes the caller's turns of a room, the links to it, the feedback on them, and the roll-ups of the room. Returns the number
        of turns."""
        ...

    async def put_share(self, share: Share) -> None:
        """Stores a link. NotFound where its user has no turns in the room."""
        ...

    async def shares(self, caller: Caller) -> list[Share]:
        """The caller's own links that have not expired, the newest first."""
        ...

    async def shared(self, digest: str) -> Share | None:
        """The link that a token with this hash opens, for whoever has the token; None for one that was deleted or has expired."""
        ...

    async def delete_share(self, caller: Caller, share_id: str) -> bool:
        """Deletes one of the caller's own links; False if there was none."""
        ...

    async def put_feedback(self, caller: Caller, feedback: Feedback) -> None:
        """Replaces the caller's earlier feedback on the turn. NotFound for a turn that is not the caller's."""
        ...

    async def feedback(self, caller: Caller, trace_id: str) -> Feedback | None:
        """The caller's own feedback on a turn."""
        ...

    async def delete_feedback(self, caller: Caller, trace_id: str) -> bool:
        """Deletes the caller's own feedback on a turn; False if there was none."""
        ...

    async def list_feedback(self, caller: Caller, wanted: FeedbackFilter, limit: int, after: str | None = None) -> Page[RatedTurn]:
        """Feedback, the newest first: everybody's for an admin, their own for others. `after`: the `last_id` of the previous page,
        whose feedback may have been deleted. BadRequest for one that no page had.

        Whoever shows it first checks that the reader may read the documents of the turn (`turn_records.readable`)."""
        ...

    async def rated_by_others(self, caller: Caller, collection: str, since: float, limit: int) -> list[RatedTurn]:
        """Other users' feedback with a reason or tags on their own turns, of one collection, that started at `since` or later, newest
        turn first, at most `limit`. Nothing of it may reach the caller unless they may read the documents of the turn."""
        ...

    async def rated(self, caller: Caller, since: float, limit: int) -> list[tuple[str, Feedback]]:
        """The caller's own feedback with a reason or tags on their own turns that started at `since` or later, with the turn's
        question, newest turn first, at most `limit`. An admin gets their own, too."""
        ...

    async def figures(self, caller: Caller, since: float, until: float) -> list[TurnFigures]:
        """Turns that started in [since, until) and are over, oldest first. An admin gets everybody's turns, with all feedback on
        them; others get their own turns and feedback."""
        ...

    async def ended_as(
        self, caller: Caller, outcomes: Collection[Outcome], since: float, until: float, limit: int | None
    ) -> list[TurnFigures]:
        """Turns with these outcomes that started in [since, until), newest first, at most `limit`, None = all, without feedback. An
        admin gets everybody's, others their own."""
        ...

    async def put_rollups(self, day: str, rollups: Sequence[Rollup], rolled: RolledDay | None = None) -> bool:
        """Replaces all roll-ups of a day (YYYY-MM-DD, UTC). `rolled`: the day as it was before its turns were read, with the sums
        over everybody; None = the day is not over. Returns False if the day has changed since: its turns have to be read again.
        Cut off at any point, it leaves a day that is not fresh."""
        ...

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        """A day's roll-ups by user, room and search type; an admin gets everybody's."""
        ...

    async def rolled_days(self, caller: Caller, first: str, last: str) -> list[RolledDay]:
        """The days from `first` to `last` that were rolled up or changed, in order. Others than admins get them without tallies."""
        ...

    async def unrolled_days(self, caller: Caller, last: str) -> list[RolledDay]:
        """The days up to `last` that have turns or were changed, and are not fresh, newest first; without tallies."""
        ...

    async def tallies(self, caller: Caller, days: Sequence[RolledDay]) -> list[Tally]:
        """The tallies in the roll-ups of these days, by user and room; an admin gets everybody's. A fresh day's are those of its
        stored turns."""
        ...


class Meter(Protocol):
    """Counts and measures turns."""

    def measure(self, turn: TurnMetrics) -> None:
        """Counts a turn that has ended, with or without an answer."""
        ...
