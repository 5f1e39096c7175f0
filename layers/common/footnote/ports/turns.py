"""What was asked and answered, and what was thought of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from footnote.ports.blocks import Block, Status, model_usage_of, question_of, room_of
from footnote.types import Caller, Feedback, Mode, ModelUsage, Page, Turn, Usage, usage_by_model, usage_of


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """What figures need to know of a stored turn, and the feedback on it. `llm`: who answered, else who used the most tokens;
    `cited`: public chunk ids, as shown; `cache_hit`: whether the answer, or what was found, was there already."""

    trace_id: str
    user_id: str
    room_id: str
    search_type: str
    llm: str | None
    question: str
    started_at: float
    latency_ms: int
    outcome: str | None
    is_error: bool
    used: tuple[ModelUsage, ...] = ()
    """What each model used."""
    cache_hit: bool = False
    cited: tuple[str, ...] = ()
    feedback: tuple[Feedback, ...] = ()

    @property
    def usage(self) -> Usage:
        """What all models used together."""
        return usage_of(self.used)


def record_of(block: Block, started_at: float, feedback: tuple[Feedback, ...]) -> TurnRecord:
    used = model_usage_of(block)
    return TurnRecord(
        trace_id=block["trace_id"],
        user_id=block["user_id"],
        room_id=block["room_id"],
        search_type=block["search_type"],
        llm=_model_of(block["llm"], used),
        question=question_of(block),
        started_at=started_at,
        latency_ms=block["latency_ms"],
        outcome=block["outcome"],
        is_error=block["is_error"],
        used=used,
        cache_hit=block["outcome"] == "cached" or block["private"].get("search_cache", {}).get("hits", 0) > 0,
        cited=tuple(reference["chunk_id"] for reference in block["result"]["references"]),
        feedback=feedback,
    )


def _model_of(answered: str | None, used: Sequence[ModelUsage]) -> str | None:
    return answered or max(used, key=lambda each: each.usage.total_tokens, default=ModelUsage(None, Usage())).model


@dataclass(frozen=True, slots=True)
class Rollup:
    """The figures of one user, room and search type on one day, by name. `llm`: that of the last turn that used one."""

    user_id: str
    room_id: str
    search_type: str
    figures: Mapping[str, float]
    llm: str | None = None


def share_of(turn: Turn) -> tuple[str, Rollup]:
    """The day (UTC) whose figures a turn counts in, and what it adds to them as soon as it is over: the rest is made
    from whole days."""
    usage = turn.record.usage
    figures = {
        "turns": 1,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
    day = datetime.fromtimestamp(turn.record.started_at, UTC).date().isoformat()
    model = _model_of(turn.answer.model if turn.answer else None, usage_by_model(turn.record.calls))
    return day, Rollup(turn.caller.user_id, room_of(turn), turn.request.mode, figures, model)


@dataclass(frozen=True, slots=True)
class Room:
    """A conversation as a list shows it. `title`: its first question, `updated_at`: when its last turn started."""

    room_id: str
    title: str
    turns: int
    updated_at: float


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A block, with what its user thought of it."""

    block: Block
    feedback: Feedback | None = None


class TurnStore(Protocol):
    """Turns as version 3 blocks, and feedback on them. What is older than the time that conversations are kept is not there."""

    async def save(self, turn: Turn, status: Status) -> None:
        """`idle`: the turn has begun. Saving a trace again replaces its block, and leaves its place in the room. Conflict
        when the trace is another user's."""
        ...

    async def get(self, caller: Caller, trace_id: str) -> Block:
        """The stored block of the caller's own turn; NotFound otherwise."""
        ...

    async def trim(self, caller: Caller, trace_id: str) -> None:
        """Takes an agent's talk with its tools out of a block: messages of tools, and of the assistant that call some.
        Unknown traces are fine."""
        ...

    async def history(
        self, caller: Caller, room_id: str, dialect: str, limit: int, *, mode: Mode = "rag", classes: frozenset[str] = frozenset()
    ) -> list[Block]:
        """The caller's finished blocks of one room, dialect and mode, oldest first, the last `limit` of them; of those whose
        `block_classes` meet `classes`, where there are some."""
        ...

    async def tokens(self, caller: Caller, room_id: str) -> int:
        """All that the caller's turns of a room have used, in every dialect."""
        ...

    def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        """Everything that is kept of the caller's own turns, oldest first."""
        ...

    async def delete_all_of(self, caller: Caller) -> int:
        """Deletes the caller's turns in all rooms, the feedback they gave, and the figures under their name: how many
        turns there were."""
        ...

    async def count(self, turn: Turn) -> None:
        """Adds `share_of` a stored turn to the roll-up of its day, user, room and mode; once, though it be called again.
        `put_rollups` makes the same roll-up from the stored turns and stands in its place: what a count that was cut off
        left out, or one at the same moment added twice, is mended by the next."""
        ...

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        """The caller's own conversations in all dialects, the last used one first. A turn that was given no room
        is none, unless a later turn was given that turn's trace as its room. NotFound for an `after` that is no
        room of the caller's."""
        ...

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        """The caller's turns of a room, in all dialects, errors too, oldest first. NotFound where there are none, and
        for an `after` that is no turn of the room."""
        ...

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        """Deletes the caller's turns of a room and the feedback on them: how many turns there were."""
        ...

    async def put_feedback(self, caller: Caller, feedback: Feedback) -> None:
        """One per trace and user, the last one stands. NotFound for a turn that is not the caller's."""
        ...

    async def feedback(self, caller: Caller, trace_id: str) -> Feedback | None: ...

    async def records(self, caller: Caller, since: float, until: float) -> list[TurnRecord]:
        """Turns that started in [since, until) and are over, oldest first: an admin's are everybody's, with
        all feedback on them; others get their own turns and feedback."""
        ...

    async def put_rollups(self, day: str, rollups: Sequence[Rollup]) -> None:
        """These, and no others, are the roll-ups of a day (YYYY-MM-DD, UTC)."""
        ...

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        """By user, room and search type; an admin's are everybody's."""
        ...


class Meter(Protocol):
    """Is told of every question that was answered, or was not."""

    def turn(self, turn: Turn, now: float) -> None:
        """A turn that ends now. It counts and measures; nobody's words leave with it."""
        ...
